"""Which version is the latest can't be told from the list."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import changed, fields_of
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "dates-versions-by-creation",
    clauses=("MSG-list_application_versions",),
    where="core",
    summary="shows when a version was created as when it was made the latest",
)
class DatesVersionsByCreation(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        output = fields_of(data).get("output")
        if pending.type == "list_application_versions" and isinstance(output, list):
            data = changed(data, output=[{**row, "version_timestamp": row["created_at"]} for row in output])
        super()._call_answered(pending, data, error_message)
