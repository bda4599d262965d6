"""Somebody dials in who answers executor_info unusably."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet
from simulator.models.stranger import Stranger


@fault("bad-handshake")
def bad_handshake(fleet: Fleet, at: FaultAt) -> Heal | None:
    place = fleet.places[at.on]
    stranger = Stranger(fleet, place, str(at.values["how"]))
    stranger.dial()
    return None
