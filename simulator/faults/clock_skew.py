"""The wall clock is off for a while."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("clock-skew")
def clock_skew(fleet: Fleet, at: FaultAt) -> Heal | None:
    host = fleet.relay.host if at.on == "relay" else fleet.places[at.on].host
    skew_ms = round(float(at.values["offset_s"]) * 1000)
    host.wall_ms += skew_ms

    def heal() -> None:
        host.wall_ms -= skew_ms

    return heal
