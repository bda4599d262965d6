"""SIGKILL of everybody in one instant; fresh processes later."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.clock import ns
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("kill-all")
def kill_all(fleet: Fleet, at: FaultAt) -> Heal | None:
    down_ns = ns(float(at.values["down_s"]))
    for place in list(fleet.places.values()):
        if place.running:
            fleet.strike(place)
            fleet.start(place, down_ns)
    return None
