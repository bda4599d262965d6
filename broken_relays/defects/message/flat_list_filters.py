"""The SDKs read the filters from body."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from broken_relays.frames import changed, without
from reference_relay.core.core import Core


@defect(
    "flat-list-filters",
    clauses=("MSG-list_workflows", "ENV-12"),
    where="core",
    summary="sends the filters of a list beside its body instead of in it",
)
class FlatListFilters(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        data = super()._encode(type_, request_id, fields)
        return changed(without(data, "body"), **fields["body"]) if type_ == "list_workflows" else data
