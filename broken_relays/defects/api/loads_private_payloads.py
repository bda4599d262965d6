"""What must stay in the application passes through the relay."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from reference_relay.core.core import Core


def _loading(fields: dict[str, Any]) -> dict[str, Any]:
    changed = {name: name.startswith("load_") or value for name, value in fields.items()}
    return {**changed, "body": _loading(fields["body"])} if isinstance(fields.get("body"), dict) else changed


@defect(
    "loads-private-payloads",
    clauses=("API-6",),
    where="core",
    summary="loads inputs, outputs and contexts of applications in private mode",
)
class LoadsPrivatePayloads(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        return super()._encode(type_, request_id, _loading(fields))
