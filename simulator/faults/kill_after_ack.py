"""Adopted work dies with the peer that has just taken it."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("kill-after-ack")
def kill_after_ack(fleet: Fleet, at: FaultAt) -> Heal | None:
    fleet.places[at.on].manner.dies_after_ack = True
    return None
