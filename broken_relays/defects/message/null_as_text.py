"""A group of what is unset becomes one of that name."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import changed, fields_of
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "null-as-text",
    clauses=("MSG-get_workflow_aggregates", "MSG-get_step_aggregates"),
    where="core",
    summary="shows a null in a group of aggregates as a text",
)
class NullAsText(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        rows = fields_of(data).get("output")
        if pending.type in ("get_workflow_aggregates", "get_step_aggregates") and isinstance(rows, list):
            shown = [{**row, "group": {k: v or "null" for k, v in row["group"].items()}} for row in rows]
            data = changed(data, output=shown)
        super()._call_answered(pending, data, error_message)
