"""One frame that nobody asked for."""

from __future__ import annotations

import msgspec

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("stray")
def stray(fleet: Fleet, at: FaultAt) -> Heal | None:
    process = fleet.places[at.on].process
    client = process.client if process is not None else None
    if process is None or client is None or not client.open or process.paused:
        return None
    match at.values["what"]:
        case "again":
            if client.last_answer:
                client.send(client.last_answer)
        case "another":
            for other in fleet.clients():
                for request_id in other.unanswered:
                    if other is not client:
                        client.send(_answer(request_id, "recovery", fleet.random.random() < 0.5))
        case "pongs":
            client.send_pong(b"unasked")
            client.send_pong(b"unasked")
        case "malformed":
            client.send(b'{"type": "executor_info", ')
        case "binary":
            client.send_binary(b"\x00\x01")
        case _:
            for type_ in ("recovery", "exist_pending_workflows", "get_workflow", "cancel"):
                client.send(_answer("nobody-asked", type_, True))
    return None


def _answer(request_id: str, type_: str, success: bool) -> bytes:
    fields = {"success": success, "exist": False, "output": None}
    return msgspec.json.encode({"type": type_, "request_id": request_id, **fields})
