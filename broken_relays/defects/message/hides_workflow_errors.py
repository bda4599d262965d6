"""A value of the record does not reach the caller."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import changed, fields_of
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "hides-workflow-errors",
    clauses=("MSG-get_workflow",),
    where="core",
    summary="shows a failed workflow without its error",
)
class HidesWorkflowErrors(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        output = fields_of(data).get("output")
        if pending.type == "get_workflow" and isinstance(output, dict):
            data = changed(data, output={name: value for name, value in output.items() if name != "Error"})
        super()._call_answered(pending, data, error_message)
