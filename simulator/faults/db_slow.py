"""Every statement takes longer."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.clock import ns
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("db-slow")
def db_slow(fleet: Fleet, at: FaultAt) -> Heal | None:
    database = fleet.database
    usual_ns = database.delay_ns
    database.delay_ns = usual_ns + ns(float(at.values["delay_s"]))

    def heal() -> None:
        database.delay_ns = usual_ns

    return heal
