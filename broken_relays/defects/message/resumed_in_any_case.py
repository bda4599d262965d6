"""A resumption is reported as done once it was asked for."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import changed
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "resumed-in-any-case",
    clauses=("MSG-resume",),
    faults=(26,),
    where="core",
    summary="reports a resumption as done whatever the executor says",
)
class ResumedInAnyCase(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        super()._call_answered(
            pending, changed(data, success=True) if pending.type == "resume" else data, error_message
        )
