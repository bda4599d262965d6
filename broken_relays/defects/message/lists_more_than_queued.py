"""What a search is for is lost on the way."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from reference_relay.core.core import Core


@defect(
    "lists-more-than-queued",
    clauses=("MSG-list_workflows",),
    where="core",
    summary="asks for all workflows where the queued ones were searched",
)
class ListsMoreThanQueued(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        return super()._encode("list_workflows" if type_ == "list_queued_workflows" else type_, request_id, fields)
