"""Commits fail and are tried again until it heals."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.clock import ns
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("store-fail")
def store_fail(fleet: Fleet, at: FaultAt) -> Heal | None:
    relay = fleet.relay
    left_s = fleet.schedule.duration_s - at.at_s if at.for_s is None else at.for_s
    relay.failing_until_ns = fleet.clock.now_ns + ns(left_s)

    def heal() -> None:
        relay.failing_until_ns = 0

    return heal
