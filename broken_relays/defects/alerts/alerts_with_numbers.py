"""Go answers nothing where a value of the metadata is no text (read in its client)."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from broken_relays.frames import changed
from reference_relay.core.core import Core


@defect(
    "alerts-with-numbers",
    clauses=("MSG-alert", "ALR-1"),
    where="core",
    summary="sends counts in the metadata of an alert as numbers",
)
class AlertsWithNumbers(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        data = super()._encode(type_, request_id, fields)
        if type_ != "alert":
            return data
        metadata = {k: int(v) if v.isdecimal() else v for k, v in fields["metadata"].items()}
        return changed(data, metadata=metadata)
