"""Every answer is late."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.clock import ns
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("late-answer")
def late_answer(fleet: Fleet, at: FaultAt) -> Heal | None:
    manner = fleet.places[at.on].manner
    manner.late_ns = ns(float(at.values["after_s"]))

    def heal() -> None:
        manner.late_ns = 0

    return heal
