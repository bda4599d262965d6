"""A second connection under the same id; the newest is the one that counts."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("twin")
def twin(fleet: Fleet, at: FaultAt) -> Heal | None:
    process = fleet.places[at.on].process
    if process is not None and process.working and process.client is not None and process.client.open:
        process.dial()
    return None
