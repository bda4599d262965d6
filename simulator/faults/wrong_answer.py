"""Answers of another type, or with error_message."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("wrong-answer")
def wrong_answer(fleet: Fleet, at: FaultAt) -> Heal | None:
    manner = fleet.places[at.on].manner
    manner.wrong = str(at.values["how"])

    def heal() -> None:
        manner.wrong = ""

    return heal
