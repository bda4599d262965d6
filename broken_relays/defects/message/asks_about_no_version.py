"""The peer finds nothing under that version, whatever is left."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from broken_relays.frames import changed
from reference_relay.core.core import Core


@defect(
    "asks-about-no-version",
    clauses=("MSG-exist_pending_workflows",),
    faults=(1,),
    where="core",
    summary="asks what is left of an executor under an empty version",
)
class AsksAboutNoVersion(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        data = super()._encode(type_, request_id, fields)
        return changed(data, application_version="") if type_ == "exist_pending_workflows" else data
