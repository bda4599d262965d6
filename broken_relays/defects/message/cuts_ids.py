"""Ids are taken to be shorter than they are."""

from __future__ import annotations

from msgspec.structs import replace

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.events import Call


@defect(
    "cuts-ids",
    clauses=("MSG-cancel", "MSG-resume"),
    where="core",
    summary="sends the workflow's id without its last character when it cancels or resumes",
)
class CutsIds(Core):
    def _call(self, event: Call) -> None:
        workflow_id = event.fields.get("workflow_id")
        if event.type in ("cancel", "resume") and isinstance(workflow_id, str):
            event = replace(event, fields={**event.fields, "workflow_id": workflow_id[:-1]})
        super()._call(event)
