"""Both in one instant; only the relay comes back."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.clock import ns
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("relay-and-executor-kill")
def relay_and_executor_kill(fleet: Fleet, at: FaultAt) -> Heal | None:
    fleet.strike(fleet.places[at.on])
    fleet.kill_relay()
    fleet.clock.call(ns(float(at.values["down_s"])), fleet.start_relay)
    return None
