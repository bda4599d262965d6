"""The relay learns of the end only after the executor has dialled anew."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.clock import ns
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("late-close")
def late_close(fleet: Fleet, at: FaultAt) -> Heal | None:
    process = fleet.places[at.on].process
    if process is not None and process.client is not None and process.client.open:
        process.client.vanish(ns(float(at.values["late_s"])))
    return None
