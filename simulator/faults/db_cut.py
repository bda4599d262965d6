"""Nobody reaches the database."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("db-cut")
def db_cut(fleet: Fleet, at: FaultAt) -> Heal | None:
    fleet.database.go_down()
    return fleet.database.come_back
