"""SIGKILL of the relay, and a start on the same data."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.clock import ns
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("relay-kill")
def relay_kill(fleet: Fleet, at: FaultAt) -> Heal | None:
    fleet.kill_relay()
    fleet.clock.call(ns(float(at.values["down_s"])), fleet.start_relay)
    return None
