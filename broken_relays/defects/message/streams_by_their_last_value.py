"""A stream is more than its newest value."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import changed, fields_of
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "streams-by-their-last-value",
    clauses=("MSG-get_workflow_streams",),
    where="core",
    summary="shows the last value of each stream only",
)
class StreamsByTheirLastValue(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        streams = fields_of(data).get("streams")
        if pending.type == "get_workflow_streams" and isinstance(streams, list):
            data = changed(data, streams=[{**row, "values": row["values"][-1:]} for row in streams])
        super()._call_answered(pending, data, error_message)
