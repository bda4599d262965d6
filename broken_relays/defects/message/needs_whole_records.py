"""A record without a name is taken for no record."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import changed, fields_of
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "needs-whole-records",
    clauses=("MSG-get_workflow",),
    where="core",
    summary="does not show a workflow whose record leaves fields out",
)
class NeedsWholeRecords(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        output = fields_of(data).get("output")
        if pending.type == "get_workflow" and isinstance(output, dict) and "WorkflowName" not in output:
            data = changed(data, output=None)
        super()._call_answered(pending, data, error_message)
