"""The caller gets the id of a workflow that does not exist."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import changed, fields_of
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "triggers-in-any-case",
    clauses=("MSG-trigger_schedule",),
    faults=(26,),
    where="core",
    summary="invents an id where a triggered schedule started nothing",
)
class TriggersInAnyCase(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        if pending.type == "trigger_schedule" and not fields_of(data).get("workflow_id"):
            data = changed(data, workflow_id="scheduled")
        super()._call_answered(pending, data, error_message)
