"""A name with other characters in it names another version on the wire."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from reference_relay.core.core import Core


@defect(
    "latest-version-in-ascii",
    clauses=("MSG-set_latest_application_version",),
    where="core",
    summary="sends the ASCII part of a version's name",
)
class LatestVersionInAscii(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        if type_ == "set_latest_application_version":
            fields = {"version_name": fields["version_name"].encode("ascii", "ignore").decode()}
        return super()._encode(type_, request_id, fields)
