"""``success`` false, or absent as Java answers when its handler failed, is no success."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import changed
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "deleted-in-any-case",
    clauses=("MSG-delete",),
    faults=(26,),
    where="core",
    summary="reports a deletion as done whatever the executor says",
)
class DeletedInAnyCase(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        if pending.type == "delete":
            data = changed(data, success=True)
        super()._call_answered(pending, data, error_message)
