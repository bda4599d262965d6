"""SIGSTOP, and SIGCONT in the end."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("pause")
def pause(fleet: Fleet, at: FaultAt) -> Heal | None:
    process = fleet.places[at.on].process
    if process is None:
        return None
    process.pause()
    return process.resume
