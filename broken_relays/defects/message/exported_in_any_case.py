"""What is kept as an export can't be imported again."""

from __future__ import annotations

import msgspec

from broken_relays.defect import defect
from broken_relays.frames import changed
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "exported-in-any-case",
    clauses=("MSG-export_workflow",),
    faults=(26,),
    where="core",
    summary="reports an export as done where the executor has exported nothing",
)
class ExportedInAnyCase(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        if pending.type == "export_workflow" and not msgspec.json.decode(data).get("serialized_workflow"):
            data = changed(data, serialized_workflow="gA==")
        super()._call_answered(pending, data, error_message)
