"""The relay dies at a commit, right before or right after it is durable."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("crash-at-persist")
def crash_at_persist(fleet: Fleet, at: FaultAt) -> Heal | None:
    fleet.crash_down_s = float(at.values["down_s"])
    fleet.relay.fleet_store.crash = (int(at.values["nth"]), str(at.values["when"]))
    return None
