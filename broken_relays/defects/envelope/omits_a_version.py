"""A field that every SDK reads without looking whether it is there."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from broken_relays.frames import without
from reference_relay.core.core import Core


@defect(
    "omits-a-version",
    clauses=("ENV-12",),
    faults=(26,),
    where="core",
    summary="asks exist_pending_workflows without application_version",
)
class OmitsAVersion(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        data = super()._encode(type_, request_id, fields)
        return without(data, "application_version") if type_ == "exist_pending_workflows" else data
