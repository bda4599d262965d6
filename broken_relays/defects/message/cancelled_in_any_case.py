"""``success`` false, or absent as Java answers when its handler failed, is no success."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import changed
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "cancelled-in-any-case",
    clauses=("MSG-cancel",),
    faults=(26,),
    where="core",
    summary="reports a cancellation as done whatever the executor says",
)
class CancelledInAnyCase(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        super()._call_answered(
            pending, changed(data, success=True) if pending.type == "cancel" else data, error_message
        )
