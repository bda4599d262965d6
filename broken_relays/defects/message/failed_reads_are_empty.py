""" "No such rows" and "could not look" are not the same."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import without
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "failed-reads-are-empty",
    clauses=(
        "MSG-list_workflows",
        "MSG-list_queued_workflows",
        "MSG-list_steps",
        "MSG-get_workflow_events",
        "MSG-get_workflow_notifications",
        "MSG-get_workflow_streams",
        "MSG-get_workflow_aggregates",
        "MSG-get_step_aggregates",
        "MSG-list_schedules",
        "MSG-list_queues",
        "MSG-list_application_versions",
    ),
    faults=(26,),
    where="core",
    summary="shows what the executor could not read as what is not there",
)
class FailedReadsAreEmpty(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        if pending.type.startswith("list_") or pending.type.startswith("get_"):
            data, error_message = without(data, "error_message"), None
        super()._call_answered(pending, data, error_message)
