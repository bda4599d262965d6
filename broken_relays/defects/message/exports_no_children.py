"""What comes back after an import waits for children that are not there."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from reference_relay.core.core import Core


@defect(
    "exports-no-children",
    clauses=("MSG-export_workflow",),
    where="core",
    summary="exports a workflow without its children, whatever was asked",
)
class ExportsNoChildren(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        if type_ == "export_workflow":
            fields = {**fields, "export_children": False}
        return super()._encode(type_, request_id, fields)
