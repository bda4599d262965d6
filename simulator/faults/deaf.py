"""Pings are answered, requests are not."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("deaf")
def deaf(fleet: Fleet, at: FaultAt) -> Heal | None:
    manner = fleet.places[at.on].manner
    manner.deaf = True

    def heal() -> None:
        manner.deaf = False

    return heal
