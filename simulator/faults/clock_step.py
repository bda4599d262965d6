"""The wall clock jumps."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("clock-step")
def clock_step(fleet: Fleet, at: FaultAt) -> Heal | None:
    host = fleet.relay.host if at.on == "relay" else fleet.places[at.on].host
    host.wall_ms += round(float(at.values["step_s"]) * 1000)
    return None
