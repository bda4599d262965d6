"""What the executor sends is lost; what the relay sends arrives."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("drop-to-relay")
def drop_to_relay(fleet: Fleet, at: FaultAt) -> Heal | None:
    path = fleet.places[at.on].path
    path.hold("up", "drop")
    return lambda: path.release("up")
