"""Python needs the three keys, null where nothing is set (measured)."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from broken_relays.frames import changed
from reference_relay.core.core import Core


@defect(
    "retention-without-nulls",
    clauses=("MSG-retention",),
    where="core",
    summary="leaves out the limits of a retention request that are not set",
)
class RetentionWithoutNulls(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        data = super()._encode(type_, request_id, fields)
        if type_ != "retention":
            return data
        return changed(data, body={name: value for name, value in fields["body"].items() if value is not None})
