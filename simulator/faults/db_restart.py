"""The database restarts."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.clock import ns
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("db-restart")
def db_restart(fleet: Fleet, at: FaultAt) -> Heal | None:
    fleet.database.go_down()
    fleet.clock.call(ns(float(at.values["down_s"])), fleet.database.come_back)
    return None
