"""SIGKILL; nobody starts it again."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("kill")
def kill(fleet: Fleet, at: FaultAt) -> Heal | None:
    fleet.strike(fleet.places[at.on])
    return None
