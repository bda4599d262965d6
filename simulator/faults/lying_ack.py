"""Success, and nothing done."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("lying-ack")
def lying_ack(fleet: Fleet, at: FaultAt) -> Heal | None:
    manner = fleet.places[at.on].manner
    manner.lying = True

    def heal() -> None:
        manner.lying = False

    return heal
