"""A field has the name that the other messages about versions have for it."""

from __future__ import annotations

from typing import Any

import msgspec

from broken_relays.defect import defect
from reference_relay.core.core import Core


@defect(
    "latest-under-another-name",
    clauses=("MSG-set_latest_application_version",),
    faults=(26,),
    where="core",
    summary="names the version that becomes the latest under application_version",
)
class LatestUnderAnotherName(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        if type_ != "set_latest_application_version":
            return super()._encode(type_, request_id, fields)
        named = {"application_version": fields["version_name"]}
        return msgspec.json.encode({"type": type_, "request_id": request_id, **named})
