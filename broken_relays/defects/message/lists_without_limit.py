"""Every list is a list of everything."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from reference_relay.core.core import Core


@defect(
    "lists-without-limit", clauses=("MSG-list_workflows",), where="core", summary="drops limit and offset of a list"
)
class ListsWithoutLimit(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        if type_ == "list_workflows":
            fields = {
                "body": {name: value for name, value in fields["body"].items() if name not in ("limit", "offset")}
            }
        return super()._encode(type_, request_id, fields)
