"""Bandwidth 0: what is sent waits on the way."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet
from simulator.models.path import Direction


@fault("freeze")
def freeze(fleet: Fleet, at: FaultAt) -> Heal | None:
    path = fleet.places[at.on].path
    word = at.values["direction"]
    directions: tuple[Direction, ...] = ("up", "down")
    frozen = [each for each in directions if word in (each, "both")]
    for direction in frozen:
        path.hold(direction, "freeze")

    def heal() -> None:
        for direction in frozen:
            path.release(direction)

    return heal
