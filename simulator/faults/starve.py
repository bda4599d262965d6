"""Everything that the process does takes longer."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("starve")
def starve(fleet: Fleet, at: FaultAt) -> Heal | None:
    place = fleet.places[at.on]

    def slow_down(factor: float) -> None:
        place.slowness = factor
        if place.process is not None:
            place.process.slowness = factor

    slow_down(1.0 / max(float(at.values["share"]), 0.001))
    return lambda: slow_down(1.0)
