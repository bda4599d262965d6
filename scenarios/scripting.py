"""What a scripted executor says, without any I/O: request in, plan out. Every world uses it.

The defaults are what a healthy SDK with an empty system database answers (protocol page).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from conductor.catalogue import CATALOGUE
from scenarios.world import Reply, Script

ABSENT = "<absent>"
"""As a value in ``info``: the field is left out of the executor_info answer."""

_EMPTY: Mapping[str, Mapping[str, Any]] = {
    "exist_pending_workflows": {"exist": False},
    "list_workflows": {"output": []},
    "list_queued_workflows": {"output": []},
    "get_workflow": {"output": None},
    "list_steps": {"output": []},
    "get_workflow_events": {"events": []},
    "get_workflow_notifications": {"notifications": []},
    "get_workflow_streams": {"streams": []},
    "get_workflow_aggregates": {"output": []},
    "get_step_aggregates": {"output": []},
    "fork_workflow": {"new_workflow_id": "forked"},
    "fork_from_failure": {"forked_workflow_ids": []},
    "export_workflow": {"serialized_workflow": ""},
    "list_schedules": {"output": []},
    "get_schedule": {"output": None},
    "trigger_schedule": {"workflow_id": "triggered"},
    "backfill_schedule": {"workflow_ids": []},
    "list_queues": {"output": []},
    "get_queue": {"output": None},
    "get_metrics": {"metrics": []},
    "list_application_versions": {"output": []},
}


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do about one request: after ``after_s`` send every payload as a text frame, then act."""

    payloads: tuple[bytes, ...]
    after_s: float = 0.0
    fragments: int = 1
    then: str = ""  # "", "close", "rst", "freeze"


def executor_info(
    id: str, *, version: str, language: str, hostname: str | None, sdk_version: str,
    metadata: Mapping[str, Any] | None, overrides: Mapping[str, Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The fields of an executor_info answer besides type and request_id."""
    fields: dict[str, Any] = {
        "executor_id": id,
        "application_version": version,
        "hostname": hostname,
        "language": language,
        "dbos_version": sdk_version,
        "executor_metadata": metadata,
    }
    fields |= overrides or {}
    return {name: value for name, value in fields.items() if value != ABSENT}


class Answerer:
    """The memory of one executor: which replies of its script are used up. Keeps it over reconnects."""

    def __init__(self, info: Mapping[str, Any], script: Script) -> None:
        self.info = info
        self._given: Counter[str] = Counter()
        self.script = script

    @property
    def script(self) -> Script:
        return self._script

    @script.setter
    def script(self, script: Script) -> None:
        """A new script starts counting anew."""
        self._script = script
        self._given.clear()

    def plan(self, frame: str) -> Plan | None:
        """What to do about a text frame of the relay. None: it is no request, so nothing."""
        try:
            request = msgspec.json.decode(frame)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        if not isinstance(request, dict) or not isinstance(request.get("type"), str):
            return None
        reply = self._next(request["type"])
        if reply.silent:
            return Plan((), reply.after_s, then=reply.then)
        return Plan((self._payload(request, reply),) * reply.repeat, reply.after_s, reply.fragments, reply.then)

    def _next(self, type: str) -> Reply:
        scripted = self._script.replies.get(type, Reply())
        count = self._given[type]
        self._given[type] += 1
        replies: Sequence[Reply] = [scripted] if isinstance(scripted, Reply) else scripted
        for number, reply in enumerate(replies, start=1):
            # In a sequence each reply serves once, or ``times`` times; the last one serves for ever unless limited.
            times = reply.times if reply.times is not None else (None if number == len(replies) else 1)
            if times is None or count < times:
                return reply
            count -= times
        return Reply()

    def _payload(self, request: Mapping[str, Any], reply: Reply) -> bytes:
        if reply.raw is not None:
            return reply.raw
        type = request["type"]
        fields = self._default(type) if reply.fields is None else reply.fields
        return msgspec.json.encode(
            {"type": reply.type or type, "request_id": reply.request_id or request.get("request_id")} | dict(fields)
        )

    def _default(self, type: str) -> Mapping[str, Any]:
        if type == "executor_info":
            return self.info
        spec = CATALOGUE.get(type)
        if spec is None:
            return {"error_message": f"unknown message type {type}"}
        return {"success": True} if spec.success_field else _EMPTY[type]
