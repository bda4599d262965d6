"""The next recovery that reaches an executor finds the database gone."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("db-cut-during-recovery")
def db_cut_during_recovery(fleet: Fleet, at: FaultAt) -> Heal | None:
    fleet.cut_at_recovery.append(at.for_s if at.for_s is not None else 30.0)
    return fleet.cut_at_recovery.clear
