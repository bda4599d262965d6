"""FIN at both ends."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("cut")
def cut(fleet: Fleet, at: FaultAt) -> Heal | None:
    process = fleet.places[at.on].process
    if process is not None and process.client is not None and not process.client.over:
        process.client.network_ends("end of stream")
    return None
