"""Each SDK reads a time without an offset in a zone of its own."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from reference_relay.core.core import Core


@defect(
    "backfills-without-offset",
    clauses=("MSG-backfill_schedule",),
    where="core",
    summary="sends the window of a backfill without the offset of its times",
)
class BackfillsWithoutOffset(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        if type_ == "backfill_schedule":
            fields = {name: value.removesuffix("+00:00") for name, value in fields.items()}
        return super()._encode(type_, request_id, fields)
