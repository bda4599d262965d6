"""Request bodies and queries about workflows, and their translation into fields of messages."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from reference_relay.server.api.shapes import Body, Count, Flag, Int32, Names, Query, Text, Time, given
from reference_relay.server.api.times import portable

Bucket = Annotated[int, Meta(ge=1, le=2**63 - 1, extra_json_schema={"format": "int64"})]
StartStep = Annotated[int, Meta(ge=0, le=2**30 - 1, extra_json_schema={"format": "int32"})]
"""Go answers nothing beyond it (read in its client)."""


class WorkflowsQuery(Query, frozen=True, kw_only=True):
    status: Text = UNSET
    workflow_name: Text = UNSET
    limit: Count | UnsetType = UNSET
    offset: Count | UnsetType = UNSET
    sort_desc: Flag = UNSET
    load_input: bool = False
    load_output: bool = False


class StepsQuery(Query, frozen=True, kw_only=True):
    limit: Count | UnsetType = UNSET
    offset: Count | UnsetType = UNSET


class DeleteQuery(Query, frozen=True, kw_only=True):
    delete_children: bool = False


class ExportQuery(Query, frozen=True, kw_only=True):
    export_children: bool = False


class WorkflowSearchBody(Body, frozen=True, kw_only=True):
    workflow_ids: Names = UNSET
    workflow_id_prefix: Names = UNSET
    workflow_name: Names = UNSET
    status: Names = UNSET
    user: Names = UNSET
    app_version: Names = UNSET
    executor_id: Names = UNSET
    queue_name: Names = UNSET
    schedule_name: Names = UNSET
    forked_from: Names = UNSET
    parent_workflow_id: Names = UNSET
    was_forked_from: Flag = UNSET
    has_parent: Flag = UNSET
    queues_only: Flag = UNSET
    attributes: dict[str, Any] | UnsetType = UNSET
    start_time: Time = UNSET
    end_time: Time = UNSET
    completed_after: Time = UNSET
    completed_before: Time = UNSET
    dequeued_after: Time = UNSET
    dequeued_before: Time = UNSET
    limit: Count | UnsetType = UNSET
    offset: Count | UnsetType = UNSET
    sort_desc: Flag = UNSET
    load_input: bool = False
    load_output: bool = False


class WorkflowAggregatesBody(Body, frozen=True, kw_only=True):
    group_by_status: Flag = UNSET
    group_by_workflow_name: Flag = UNSET
    group_by_queue_name: Flag = UNSET
    group_by_executor_id: Flag = UNSET
    group_by_app_version: Flag = UNSET
    group_by_application_name: Flag = UNSET
    select_count: Flag = UNSET
    select_min_created_at: Flag = UNSET
    select_max_queue_wait_ms: Flag = UNSET
    select_max_total_latency_ms: Flag = UNSET
    time_bucket_size_ms: Bucket | UnsetType = UNSET
    workflow_ids: Names = UNSET
    workflow_id_prefix: Names = UNSET
    workflow_name: Names = UNSET
    status: Names = UNSET
    user: Names = UNSET
    app_version: Names = UNSET
    executor_id: Names = UNSET
    queue_name: Names = UNSET
    schedule_name: Names = UNSET
    forked_from: Names = UNSET
    parent_workflow_id: Names = UNSET
    was_forked_from: Flag = UNSET
    has_parent: Flag = UNSET
    attributes: dict[str, Any] | UnsetType = UNSET
    start_time: Time = UNSET
    end_time: Time = UNSET
    completed_after: Time = UNSET
    completed_before: Time = UNSET
    dequeued_after: Time = UNSET
    dequeued_before: Time = UNSET


class StepAggregatesBody(Body, frozen=True, kw_only=True):
    group_by_function_name: Flag = UNSET
    group_by_status: Flag = UNSET
    select_count: Flag = UNSET
    select_max_duration_ms: Flag = UNSET
    time_bucket_size_ms: Bucket | UnsetType = UNSET
    status: list[str] | UnsetType = UNSET
    step_name: list[str] | UnsetType = UNSET
    workflow_id_prefix: list[str] | UnsetType = UNSET
    completed_after: Time = UNSET
    completed_before: Time = UNSET


class CancelWorkflowInputBody(Body, frozen=True, kw_only=True):
    cancel_children: Flag = UNSET


class ResumeWorkflowInputBody(Body, frozen=True, kw_only=True):
    queue_name: Text = UNSET


class ForkWorkflowInputBody(Body, frozen=True, kw_only=True):
    """Without ``start_step`` the fork begins at the first step: the message has no other way to say so."""

    start_step: StartStep = 0
    new_workflow_id: Text = UNSET
    app_version: Text = UNSET
    queue_name: Text = UNSET
    queue_partition_key: Text = UNSET


class BulkCancelInputBody(Body, frozen=True, kw_only=True):
    workflow_ids: list[str]
    cancel_children: Flag = UNSET


class BulkResumeInputBody(Body, frozen=True, kw_only=True):
    workflow_ids: list[str]
    queue_name: Text = UNSET


class BulkDeleteInputBody(Body, frozen=True, kw_only=True):
    workflow_ids: list[str]
    delete_children: bool = False


class BulkForkFromFailureBody(Body, frozen=True, kw_only=True):
    """Exactly one of the four ``from_`` fields."""

    workflow_ids: list[str]
    from_last_failure: Flag = UNSET
    from_last_step: Flag = UNSET
    from_step: Int32 | UnsetType = UNSET
    from_step_name: Text = UNSET
    app_version: Text = UNSET
    queue_name: Text = UNSET
    queue_partition_key: Text = UNSET

    def selectors(self) -> list[str]:
        """The API names of the ``from_`` fields that are set; false sets nothing."""
        chosen = {
            "fromLastFailure": self.from_last_failure is True,
            "fromLastStep": self.from_last_step is True,
            "fromStep": self.from_step is not UNSET,
            "fromStepName": self.from_step_name is not UNSET,
        }
        return [name for name, is_set in chosen.items() if is_set]


class ImportWorkflowInputBody(Body, frozen=True, kw_only=True):
    serialized_workflow: str


SEARCH_NAMES = {
    "workflow_ids": "workflow_uuids",
    "user": "authenticated_user",
    "app_version": "application_version",
}
AGGREGATE_NAMES = {
    "group_by_workflow_name": "group_by_name",
    "group_by_app_version": "group_by_application_version",
    "workflow_name": "name",
}
PAIRED_NAMES = {"workflow_ids": "workflow_uuids", "user": "authenticated_user"}
"""Filters of aggregates that two SDKs know by one name and a third by the other: both are sent."""

STEP_AGGREGATE_NAMES = {"step_name": "function_name"}
FORK_NAMES = {"app_version": "application_version"}


def fields_of(values: Struct, renamed: Mapping[str, str]) -> dict[str, object]:
    """The body of a message. Null and empty filters are left out: an empty array is an SQL error in TypeScript."""
    fields: dict[str, object] = {}
    for name, value in given(values).items():
        if value is not None and value != []:
            fields[renamed.get(name, name)] = portable(value) if isinstance(value, datetime) else value
    return fields
