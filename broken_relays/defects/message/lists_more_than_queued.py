"""A flag of a search is lost on the way."""

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
        body = fields.get("body")
        if type_ == "list_workflows" and isinstance(body, dict):
            fields = {**fields, "body": {name: value for name, value in body.items() if name != "queues_only"}}
        return super()._encode(type_, request_id, fields)
