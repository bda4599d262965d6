"""SIGTERM: the SDK closes in its own manner."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("stop")
def stop(fleet: Fleet, at: FaultAt) -> Heal | None:
    fleet.strike(fleet.places[at.on], "stop")
    return None
