"""An executor that could not is an executor that has answered."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import changed, without
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "errors-are-done",
    clauses=("ENV-3",),
    faults=(26, 64),
    where="core",
    summary="makes a success of an answer that has error_message",
)
class ErrorsAreDone(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        if error_message:
            data = changed(without(data, "error_message"), success=True)
            if pending.type == "get_workflow":
                data = changed(data, output={"WorkflowUUID": "unknown", "Status": "ERROR"})
        super()._call_answered(pending, data, None)
