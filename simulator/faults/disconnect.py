"""A pulled cable: nobody is told."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("disconnect")
def disconnect(fleet: Fleet, at: FaultAt) -> Heal | None:
    path = fleet.places[at.on].path
    path.hold("up", "drop")
    path.hold("down", "drop")

    def heal() -> None:
        path.release("up")
        path.release("down")

    return heal
