"""RST in the middle of whatever comes then."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("cut-after")
def cut_after(fleet: Fleet, at: FaultAt) -> Heal | None:
    process = fleet.places[at.on].process
    if process is not None and process.client is not None:
        route = process.client.route
        if at.values["bytes"]:
            route.cut_bytes = int(at.values["bytes"])
        else:
            route.cut_after = max(1, int(at.values["frames"]))
    return None
