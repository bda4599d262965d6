"""Every commit of the relay's store takes longer."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.clock import ns
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("store-slow")
def store_slow(fleet: Fleet, at: FaultAt) -> Heal | None:
    relay = fleet.relay
    relay.slow_ns = ns(float(at.values["delay_s"]))

    def heal() -> None:
        relay.slow_ns = 0

    return heal
