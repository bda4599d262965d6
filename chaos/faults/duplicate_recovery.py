"""Each recovery of the relay is dispatched once more: at once to another peer, and again after the answer.

The relay never learns of it: the tap adds the requests and keeps their answers.
"""

from __future__ import annotations

import itertools

from chaos.faults import fault
from chaos.fleet import Fleet
from chaos.site import Site
from chaos.tap import Passing
from evidence.events import Fault
from scenarios.schedule import FaultAt


@fault("duplicate-recovery", stores=("sqlite", "postgresql"), on_work=False)
async def duplicate_recovery(site: Site, at: FaultAt) -> None:
    """Whoever is dead in the fleet of ``on`` is recovered twice; "" is every fleet."""
    for fleet in site.fleets if not at.on else (site.fleet(at.on),):
        _listen(site, fleet)


def _listen(site: Site, fleet: Fleet) -> None:
    numbers = itertools.count(1)
    asked: dict[object, list[str]] = {}

    def again(peer: str, dead: list[str]) -> None:
        request_id = f"duplicate-{next(numbers)}"

        def answered(message: object) -> None:
            site.recorder.add(
                Fault, kind="duplicate-recovery", conn=fleet.tap.conn(peer), executor=fleet.tap.executor(peer),
                detail={"dead": dead, "answer": message},
            )  # fmt: skip

        fleet.tap.add(peer, {"type": "recovery", "request_id": request_id, "executor_ids": dead}, answered)

    def look(passing: Passing) -> None:
        if passing.message.get("type") != "recovery" or str(passing.message.get("request_id")).startswith("duplicate-"):
            return
        request_id = passing.message.get("request_id")
        if passing.by == "relay":
            dead = asked[request_id] = list(passing.message.get("executor_ids") or ())
            others = [label for label in fleet.tap.labels() if label != passing.label]
            again(others[0] if others else passing.label, dead)
        elif dead := asked.pop(request_id, []):
            again(passing.label, dead)

    fleet.tap.listeners.append(look)
    site.undo.append(lambda: fleet.tap.listeners.remove(look))
