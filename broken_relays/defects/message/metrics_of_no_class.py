"""SDKs count one class of metrics, and nothing for any other."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from reference_relay.core.core import Core


@defect(
    "metrics-of-no-class",
    clauses=("MSG-get_metrics",),
    where="core",
    summary="asks for metrics of an unknown class",
)
class MetricsOfNoClass(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        if type_ == "get_metrics":
            fields = {**fields, "metric_class": "all"}
        return super()._encode(type_, request_id, fields)
