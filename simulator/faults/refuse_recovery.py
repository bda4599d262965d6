"""Recovery requests are refused."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("refuse-recovery")
def refuse_recovery(fleet: Fleet, at: FaultAt) -> Heal | None:
    manner = fleet.places[at.on].manner
    manner.refusing = str(at.values["how"])

    def heal() -> None:
        manner.refusing = ""

    return heal
