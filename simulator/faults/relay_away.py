"""The relay is down for longer than the grace."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.clock import ns
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("relay-away")
def relay_away(fleet: Fleet, at: FaultAt) -> Heal | None:
    fleet.kill_relay()
    fleet.clock.call(ns(float(at.values["down_s"])), fleet.start_relay)
    return None
