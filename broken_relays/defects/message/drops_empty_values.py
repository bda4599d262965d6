"""An empty text is taken for nothing at all."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import changed, fields_of
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "drops-empty-values",
    clauses=("MSG-get_workflow_events",),
    where="core",
    summary="leaves out events whose value is an empty text",
)
class DropsEmptyValues(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        events = fields_of(data).get("events")
        if pending.type == "get_workflow_events" and isinstance(events, list):
            data = changed(data, events=[row for row in events if row["value"]])
        super()._call_answered(pending, data, error_message)
