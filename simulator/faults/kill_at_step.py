"""The next workflow of this executor that comes to the step kills it."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("kill-at-step")
def kill_at_step(fleet: Fleet, at: FaultAt) -> Heal | None:
    fleet.places[at.on].manner.dies_at_step = (int(at.values["step"]), str(at.values["phase"]))
    return None
