"""SIGTERM, and a fresh process of another version."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.clock import ns
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("upgrade")
def upgrade(fleet: Fleet, at: FaultAt) -> Heal | None:
    place = fleet.places[at.on]
    fleet.strike(place, "stop")
    place.version = str(at.values["version"])
    fleet.start(place, ns(float(at.values["down_s"])))
    return None
