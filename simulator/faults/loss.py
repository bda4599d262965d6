"""Frames come late and in bursts: TCP sends again what is lost."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("loss")
def loss(fleet: Fleet, at: FaultAt) -> Heal | None:
    path = fleet.places[at.on].path
    path.loss = float(at.values["rate"])

    def heal() -> None:
        path.loss = 0.0

    return heal
