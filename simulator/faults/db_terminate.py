"""Every session is gone; new ones are taken at once."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.clock import ns
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("db-terminate")
def db_terminate(fleet: Fleet, at: FaultAt) -> Heal | None:
    fleet.database.go_down()
    fleet.clock.call(ns(0.05), fleet.database.come_back)
    return None
