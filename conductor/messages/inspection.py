"""Reading workflows and what belongs to them (protocol page; field facts measured, or read in the SDK clients)."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

from conductor.field_types import Attributes, NameFilter, NamesFilter, OptionalInt, OptionalTime, Switch
from conductor.messages.base import RequestBase, ResponseBase
from conductor.records import EventRecord, NotificationRecord, StepRecord, StreamRecord, WorkflowRecord

__all__ = [
    "GetWorkflowEventsRequest",
    "GetWorkflowEventsResponse",
    "GetWorkflowNotificationsRequest",
    "GetWorkflowNotificationsResponse",
    "GetWorkflowRequest",
    "GetWorkflowResponse",
    "GetWorkflowStreamsRequest",
    "GetWorkflowStreamsResponse",
    "ListQueuedWorkflowsBody",
    "ListQueuedWorkflowsRequest",
    "ListQueuedWorkflowsResponse",
    "ListStepsRequest",
    "ListStepsResponse",
    "ListWorkflowsBody",
    "ListWorkflowsRequest",
    "ListWorkflowsResponse",
    "WorkflowFilters",
]


class WorkflowFilters(Struct, frozen=True, kw_only=True):
    """The filters that both lists share. An absent filter filters nothing, `application_name` excepted: without it
    Python, TypeScript and Go narrow to their own application plus unclaimed rows. Order is by creation."""

    workflow_uuids: NamesFilter = UNSET
    workflow_name: NameFilter = UNSET
    authenticated_user: NameFilter = UNSET
    start_time: OptionalTime = UNSET
    end_time: OptionalTime = UNSET
    completed_after: OptionalTime = UNSET
    completed_before: OptionalTime = UNSET
    dequeued_after: OptionalTime = UNSET
    dequeued_before: OptionalTime = UNSET
    status: NameFilter = UNSET
    application_version: NameFilter = UNSET
    forked_from: NameFilter = UNSET
    parent_workflow_id: NameFilter = UNSET
    queue_name: NameFilter = UNSET
    limit: OptionalInt = UNSET
    offset: OptionalInt = UNSET
    sort_desc: Switch = UNSET
    workflow_id_prefix: NameFilter = UNSET
    executor_id: NameFilter = UNSET
    was_forked_from: Switch = UNSET
    has_parent: Switch = UNSET
    attributes: Attributes = UNSET
    schedule_name: NameFilter = UNSET
    application_name: NameFilter = UNSET


class ListWorkflowsBody(WorkflowFilters, frozen=True, kw_only=True):
    """The SDKs' defaults of the two load flags differ, so both are required. `load_output` also loads the error."""

    load_input: bool
    load_output: bool
    queues_only: Switch = UNSET


class ListWorkflowsRequest(RequestBase, frozen=True, kw_only=True, tag="list_workflows"):
    """Lists workflows. Without a body a TypeScript process ends (measured)."""

    body: ListWorkflowsBody


class ListWorkflowsResponse(ResponseBase, frozen=True, kw_only=True, tag="list_workflows"):
    """An empty array on failure too."""

    output: tuple[WorkflowRecord, ...] | UnsetType = UNSET


class ListQueuedWorkflowsBody(WorkflowFilters, frozen=True, kw_only=True):
    """As for list_workflows; TypeScript and Go never load output here."""

    load_input: bool
    load_output: Switch = UNSET


class ListQueuedWorkflowsRequest(RequestBase, frozen=True, kw_only=True, tag="list_queued_workflows"):
    """Lists workflows that are DELAYED, ENQUEUED or PENDING on a queue."""

    body: ListQueuedWorkflowsBody


class ListQueuedWorkflowsResponse(ResponseBase, frozen=True, kw_only=True, tag="list_queued_workflows"):
    """An empty array on failure too."""

    output: tuple[WorkflowRecord, ...] | UnsetType = UNSET


class GetWorkflowRequest(RequestBase, frozen=True, kw_only=True, tag="get_workflow"):
    """Reads one workflow."""

    workflow_id: str
    load_input: bool
    load_output: bool


class GetWorkflowResponse(ResponseBase, frozen=True, kw_only=True, tag="get_workflow"):
    """Null (Python) or absent (the others) when there is no such workflow."""

    output: WorkflowRecord | UnsetType | None = UNSET


class ListStepsRequest(RequestBase, frozen=True, kw_only=True, tag="list_steps"):
    """Reads the recorded steps of one workflow."""

    workflow_id: str
    load_output: bool
    limit: OptionalInt = UNSET
    offset: OptionalInt = UNSET


class ListStepsResponse(ResponseBase, frozen=True, kw_only=True, tag="list_steps"):
    """Empty or absent for an unknown workflow; null, empty or absent on failure."""

    output: tuple[StepRecord, ...] | UnsetType | None = UNSET


class GetWorkflowEventsRequest(RequestBase, frozen=True, kw_only=True, tag="get_workflow_events"):
    """Reads the events that a workflow set."""

    workflow_id: str


class GetWorkflowEventsResponse(ResponseBase, frozen=True, kw_only=True, tag="get_workflow_events"):
    """Null, empty or absent on failure."""

    events: tuple[EventRecord, ...] | UnsetType | None = UNSET


class GetWorkflowNotificationsRequest(RequestBase, frozen=True, kw_only=True, tag="get_workflow_notifications"):
    """Reads the messages that were sent to a workflow."""

    workflow_id: str


class GetWorkflowNotificationsResponse(ResponseBase, frozen=True, kw_only=True, tag="get_workflow_notifications"):
    """Null, empty or absent on failure."""

    notifications: tuple[NotificationRecord, ...] | UnsetType | None = UNSET


class GetWorkflowStreamsRequest(RequestBase, frozen=True, kw_only=True, tag="get_workflow_streams"):
    """Reads the streams that a workflow wrote."""

    workflow_id: str


class GetWorkflowStreamsResponse(ResponseBase, frozen=True, kw_only=True, tag="get_workflow_streams"):
    """Null, empty or absent on failure; Go sends null also when there is no stream."""

    streams: tuple[StreamRecord, ...] | UnsetType | None = UNSET
