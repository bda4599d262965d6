"""The children stay behind, as rows that nobody owns."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from reference_relay.core.core import Core


@defect(
    "deletes-no-children",
    clauses=("MSG-delete",),
    where="core",
    summary="deletes a workflow without its children, whatever was asked",
)
class DeletesNoChildren(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        if type_ == "delete":
            fields = {**fields, "delete_children": False}
        return super()._encode(type_, request_id, fields)
