"""Every frame takes longer."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.clock import ns
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("delay")
def delay(fleet: Fleet, at: FaultAt) -> Heal | None:
    path = fleet.places[at.on].path
    path.extra_ns, path.jitter_ns = ns(float(at.values["delay_s"])), ns(float(at.values["jitter_s"]))

    def heal() -> None:
        path.extra_ns = path.jitter_ns = 0

    return heal
