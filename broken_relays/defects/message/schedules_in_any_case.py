"""A schedule that goes on is thought to be paused."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import changed
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "schedules-in-any-case",
    clauses=("MSG-pause_schedule", "MSG-resume_schedule"),
    faults=(26,),
    where="core",
    summary="reports a schedule as paused or resumed whatever the executor says",
)
class SchedulesInAnyCase(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        if pending.type in ("pause_schedule", "resume_schedule"):
            data = changed(data, success=True)
        super()._call_answered(pending, data, error_message)
