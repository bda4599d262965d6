"""Whole numbers beyond 2^53 change on the way."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import changed, fields_of
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


def _double(value: object) -> object:
    return int(float(value)) if isinstance(value, int) else value


@defect(
    "counts-in-doubles",
    clauses=("MSG-get_workflow_aggregates", "MSG-get_step_aggregates"),
    where="core",
    summary="reads counts and durations of aggregates as doubles",
)
class CountsInDoubles(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        rows = fields_of(data).get("output")
        if pending.type in ("get_workflow_aggregates", "get_step_aggregates") and isinstance(rows, list):
            data = changed(data, output=[{k: _double(v) for k, v in row.items()} for row in rows])
        super()._call_answered(pending, data, error_message)
