"""What the relay sends is lost; what the executor sends arrives."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("drop-from-relay")
def drop_from_relay(fleet: Fleet, at: FaultAt) -> Heal | None:
    path = fleet.places[at.on].path
    path.hold("down", "drop")
    return lambda: path.release("down")
