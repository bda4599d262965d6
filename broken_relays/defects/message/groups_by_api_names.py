"""SDKs ignore a flag that they do not know, and then there is no group."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from broken_relays.frames import changed
from reference_relay.core.core import Core


@defect(
    "groups-by-api-names",
    clauses=("MSG-get_workflow_aggregates",),
    where="core",
    summary="names the group of workflow names as the API does, not as the message does",
)
class GroupsByApiNames(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        if type_ != "get_workflow_aggregates" or "group_by_name" not in fields["body"]:
            return super()._encode(type_, request_id, fields)
        data = super()._encode(type_, request_id, fields)
        body = {
            ("group_by_workflow_name" if name == "group_by_name" else name): v for name, v in fields["body"].items()
        }
        return changed(data, body=body)
