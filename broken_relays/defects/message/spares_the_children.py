"""An option of the call does not reach the executor."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from reference_relay.core.core import Core


@defect(
    "spares-the-children",
    clauses=("MSG-cancel",),
    where="core",
    summary="cancels a workflow without its children, whatever was asked",
)
class SparesTheChildren(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        if type_ == "cancel":
            fields = {name: value for name, value in fields.items() if name != "cancel_children"}
        return super()._encode(type_, request_id, fields)
