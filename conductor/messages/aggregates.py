"""Counts over workflows and steps (protocol page; field facts measured, or read in the Go and Java clients)."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

from conductor.field_types import Attributes, NamesFilter, OptionalFlag, OptionalInt, OptionalTime, Switch
from conductor.messages.base import RequestBase, ResponseBase
from conductor.records import StepAggregateRecord, WorkflowAggregateRecord

__all__ = [
    "GetStepAggregatesBody",
    "GetStepAggregatesRequest",
    "GetStepAggregatesResponse",
    "GetWorkflowAggregatesBody",
    "GetWorkflowAggregatesRequest",
    "GetWorkflowAggregatesResponse",
]


class GetWorkflowAggregatesBody(Struct, frozen=True, kw_only=True):
    """Without a true select_ flag the count is selected. `time_bucket_size_ms` (above 0) buckets by creation.

    Two filters have two names, `workflow_ids` beside `workflow_uuids` and `user` beside `authenticated_user`: Python
    and Go read the first, TypeScript the second. Send both or neither, since an unknown filter is ignored silently.
    """

    group_by_status: Switch = UNSET
    group_by_name: Switch = UNSET
    group_by_queue_name: Switch = UNSET
    group_by_executor_id: Switch = UNSET
    group_by_application_version: Switch = UNSET
    group_by_application_name: Switch = UNSET
    select_count: OptionalFlag = UNSET
    select_min_created_at: OptionalFlag = UNSET
    select_max_queue_wait_ms: OptionalFlag = UNSET
    select_max_total_latency_ms: OptionalFlag = UNSET
    time_bucket_size_ms: OptionalInt = UNSET
    status: NamesFilter = UNSET
    start_time: OptionalTime = UNSET
    end_time: OptionalTime = UNSET
    completed_after: OptionalTime = UNSET
    completed_before: OptionalTime = UNSET
    dequeued_after: OptionalTime = UNSET
    dequeued_before: OptionalTime = UNSET
    name: NamesFilter = UNSET
    app_version: NamesFilter = UNSET
    executor_id: NamesFilter = UNSET
    queue_name: NamesFilter = UNSET
    workflow_id_prefix: NamesFilter = UNSET
    workflow_ids: NamesFilter = UNSET
    workflow_uuids: NamesFilter = UNSET
    user: NamesFilter = UNSET
    authenticated_user: NamesFilter = UNSET
    forked_from: NamesFilter = UNSET
    parent_workflow_id: NamesFilter = UNSET
    schedule_name: NamesFilter = UNSET
    application_name: NamesFilter = UNSET
    queues_only: Switch = UNSET
    was_forked_from: Switch = UNSET
    has_parent: Switch = UNSET
    attributes: Attributes = UNSET


class GetWorkflowAggregatesRequest(RequestBase, frozen=True, kw_only=True, tag="get_workflow_aggregates"):
    """Counts workflows by group. Grouped by executor and version, with status PENDING, it finds orphaned work."""

    body: GetWorkflowAggregatesBody


class GetWorkflowAggregatesResponse(ResponseBase, frozen=True, kw_only=True, tag="get_workflow_aggregates"):
    """An empty array on failure too."""

    output: tuple[WorkflowAggregateRecord, ...] | UnsetType = UNSET


class GetStepAggregatesBody(Struct, frozen=True, kw_only=True):
    """Without a true select_ flag the count is selected. `time_bucket_size_ms` (above 0) buckets by completion."""

    group_by_function_name: Switch = UNSET
    group_by_status: Switch = UNSET
    select_count: OptionalFlag = UNSET
    select_max_duration_ms: OptionalFlag = UNSET
    time_bucket_size_ms: OptionalInt = UNSET
    status: NamesFilter = UNSET
    function_name: NamesFilter = UNSET
    workflow_id_prefix: NamesFilter = UNSET
    completed_after: OptionalTime = UNSET
    completed_before: OptionalTime = UNSET
    application_name: NamesFilter = UNSET


class GetStepAggregatesRequest(RequestBase, frozen=True, kw_only=True, tag="get_step_aggregates"):
    """Counts steps by group."""

    body: GetStepAggregatesBody


class GetStepAggregatesResponse(ResponseBase, frozen=True, kw_only=True, tag="get_step_aggregates"):
    """An empty array on failure too."""

    output: tuple[StepAggregateRecord, ...] | UnsetType = UNSET
