"""The member's process starts only when this heals."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("late-start")
def late_start(fleet: Fleet, at: FaultAt) -> Heal | None:
    place = fleet.places[at.on]
    place.held_back = True

    def heal() -> None:
        if place.held_back:
            place.held_back = False
            fleet.start(place)

    return heal
