"""Small counts are nothing, large ones are near enough."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import changed, fields_of
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "rounds-metrics",
    clauses=("API-8",),
    where="core",
    summary="stores what executors count in hundreds",
)
class RoundsMetrics(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        rows = fields_of(data).get("metrics")
        if pending.type == "get_metrics" and isinstance(rows, list):
            data = changed(data, metrics=[{**row, "value": row["value"] // 100 * 100} for row in rows])
        super()._call_answered(pending, data, error_message)
