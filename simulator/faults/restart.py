"""SIGKILL, and a fresh process under a new id."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.clock import ns
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("restart")
def restart(fleet: Fleet, at: FaultAt) -> Heal | None:
    place = fleet.places[at.on]
    fleet.strike(place)
    fleet.start(place, ns(float(at.values["down_s"])))
    return None
