"""The executor's end is gone; the relay is never told."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("half-open")
def half_open(fleet: Fleet, at: FaultAt) -> Heal | None:
    process = fleet.places[at.on].process
    if process is not None and process.client is not None and process.client.open:
        process.client.vanish(None)
    return None
