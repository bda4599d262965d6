"""The host's clocks run faster or slower."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("clock-drift")
def clock_drift(fleet: Fleet, at: FaultAt) -> Heal | None:
    host = fleet.relay.host if at.on == "relay" else fleet.places[at.on].host
    host.drift(int(float(at.values["ppm"])))
    return lambda: host.drift(0)
