"""The next recovery reaches this executor too."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.clock import ns
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("duplicate-recovery")
def duplicate_recovery(fleet: Fleet, at: FaultAt) -> Heal | None:
    fleet.duplicates.append((fleet.places[at.on], ns(float(at.values["after_s"]))))
    return None
