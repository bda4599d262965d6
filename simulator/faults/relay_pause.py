"""SIGSTOP of the relay, and SIGCONT in the end."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("relay-pause")
def relay_pause(fleet: Fleet, at: FaultAt) -> Heal | None:
    fleet.relay.pause()
    return fleet.relay.resume
