"""All messages of the protocol, by type: one request and one response each, and the two unions."""

from __future__ import annotations

from typing import TypeAlias

from conductor.messages.aggregates import (
    GetStepAggregatesBody,
    GetStepAggregatesRequest,
    GetStepAggregatesResponse,
    GetWorkflowAggregatesBody,
    GetWorkflowAggregatesRequest,
    GetWorkflowAggregatesResponse,
)
from conductor.messages.base import RequestBase, ResponseBase, SuccessResponse
from conductor.messages.forking import (
    ExportWorkflowRequest,
    ExportWorkflowResponse,
    ForkFromFailureBody,
    ForkFromFailureRequest,
    ForkFromFailureResponse,
    ForkWorkflowBody,
    ForkWorkflowRequest,
    ForkWorkflowResponse,
    ImportWorkflowRequest,
    ImportWorkflowResponse,
)
from conductor.messages.inspection import (
    GetWorkflowEventsRequest,
    GetWorkflowEventsResponse,
    GetWorkflowNotificationsRequest,
    GetWorkflowNotificationsResponse,
    GetWorkflowRequest,
    GetWorkflowResponse,
    GetWorkflowStreamsRequest,
    GetWorkflowStreamsResponse,
    ListQueuedWorkflowsBody,
    ListQueuedWorkflowsRequest,
    ListQueuedWorkflowsResponse,
    ListStepsRequest,
    ListStepsResponse,
    ListWorkflowsBody,
    ListWorkflowsRequest,
    ListWorkflowsResponse,
    WorkflowFilters,
)
from conductor.messages.lifecycle import (
    CancelRequest,
    CancelResponse,
    DeleteRequest,
    DeleteResponse,
    ExecutorInfoRequest,
    ExecutorInfoResponse,
    ExistPendingWorkflowsRequest,
    ExistPendingWorkflowsResponse,
    RecoveryRequest,
    RecoveryResponse,
    ResumeRequest,
    ResumeResponse,
    RetentionBody,
    RetentionRequest,
    RetentionResponse,
)
from conductor.messages.operations import (
    AlertRequest,
    AlertResponse,
    GetMetricsRequest,
    GetMetricsResponse,
    GetQueueRequest,
    GetQueueResponse,
    ListApplicationVersionsRequest,
    ListApplicationVersionsResponse,
    ListQueuesBody,
    ListQueuesRequest,
    ListQueuesResponse,
    SetLatestApplicationVersionRequest,
    SetLatestApplicationVersionResponse,
)
from conductor.messages.schedules import (
    BackfillScheduleRequest,
    BackfillScheduleResponse,
    GetScheduleRequest,
    GetScheduleResponse,
    ListSchedulesBody,
    ListSchedulesRequest,
    ListSchedulesResponse,
    PauseScheduleRequest,
    PauseScheduleResponse,
    ResumeScheduleRequest,
    ResumeScheduleResponse,
    TriggerScheduleRequest,
    TriggerScheduleResponse,
)
from conductor.messages.uncommon import (
    RestartRequest,
    RestartResponse,
    RewindWorkflowBody,
    RewindWorkflowRequest,
    RewindWorkflowResponse,
)

__all__ = [
    "AlertRequest",
    "AlertResponse",
    "BackfillScheduleRequest",
    "BackfillScheduleResponse",
    "CancelRequest",
    "CancelResponse",
    "DeleteRequest",
    "DeleteResponse",
    "ExecutorInfoRequest",
    "ExecutorInfoResponse",
    "ExistPendingWorkflowsRequest",
    "ExistPendingWorkflowsResponse",
    "ExportWorkflowRequest",
    "ExportWorkflowResponse",
    "ForkFromFailureBody",
    "ForkFromFailureRequest",
    "ForkFromFailureResponse",
    "ForkWorkflowBody",
    "ForkWorkflowRequest",
    "ForkWorkflowResponse",
    "GetMetricsRequest",
    "GetMetricsResponse",
    "GetQueueRequest",
    "GetQueueResponse",
    "GetScheduleRequest",
    "GetScheduleResponse",
    "GetStepAggregatesBody",
    "GetStepAggregatesRequest",
    "GetStepAggregatesResponse",
    "GetWorkflowAggregatesBody",
    "GetWorkflowAggregatesRequest",
    "GetWorkflowAggregatesResponse",
    "GetWorkflowEventsRequest",
    "GetWorkflowEventsResponse",
    "GetWorkflowNotificationsRequest",
    "GetWorkflowNotificationsResponse",
    "GetWorkflowRequest",
    "GetWorkflowResponse",
    "GetWorkflowStreamsRequest",
    "GetWorkflowStreamsResponse",
    "ImportWorkflowRequest",
    "ImportWorkflowResponse",
    "ListApplicationVersionsRequest",
    "ListApplicationVersionsResponse",
    "ListQueuedWorkflowsBody",
    "ListQueuedWorkflowsRequest",
    "ListQueuedWorkflowsResponse",
    "ListQueuesBody",
    "ListQueuesRequest",
    "ListQueuesResponse",
    "ListSchedulesBody",
    "ListSchedulesRequest",
    "ListSchedulesResponse",
    "ListStepsRequest",
    "ListStepsResponse",
    "ListWorkflowsBody",
    "ListWorkflowsRequest",
    "ListWorkflowsResponse",
    "PauseScheduleRequest",
    "PauseScheduleResponse",
    "RecoveryRequest",
    "RecoveryResponse",
    "Request",
    "RequestBase",
    "Response",
    "ResponseBase",
    "RestartRequest",
    "RestartResponse",
    "ResumeRequest",
    "ResumeResponse",
    "ResumeScheduleRequest",
    "ResumeScheduleResponse",
    "RetentionBody",
    "RetentionRequest",
    "RetentionResponse",
    "RewindWorkflowBody",
    "RewindWorkflowRequest",
    "RewindWorkflowResponse",
    "SetLatestApplicationVersionRequest",
    "SetLatestApplicationVersionResponse",
    "SuccessResponse",
    "TriggerScheduleRequest",
    "TriggerScheduleResponse",
    "WorkflowFilters",
]

Request: TypeAlias = (
    ExecutorInfoRequest
    | RecoveryRequest
    | CancelRequest
    | ResumeRequest
    | DeleteRequest
    | ExistPendingWorkflowsRequest
    | RetentionRequest
    | ListWorkflowsRequest
    | ListQueuedWorkflowsRequest
    | GetWorkflowRequest
    | ListStepsRequest
    | GetWorkflowEventsRequest
    | GetWorkflowNotificationsRequest
    | GetWorkflowStreamsRequest
    | GetWorkflowAggregatesRequest
    | GetStepAggregatesRequest
    | ForkWorkflowRequest
    | ForkFromFailureRequest
    | ExportWorkflowRequest
    | ImportWorkflowRequest
    | ListSchedulesRequest
    | GetScheduleRequest
    | PauseScheduleRequest
    | ResumeScheduleRequest
    | TriggerScheduleRequest
    | BackfillScheduleRequest
    | ListQueuesRequest
    | GetQueueRequest
    | GetMetricsRequest
    | ListApplicationVersionsRequest
    | SetLatestApplicationVersionRequest
    | AlertRequest
    | RestartRequest
    | RewindWorkflowRequest
)
"""Any request, in documented order; decoded by its `type`."""

Response: TypeAlias = (
    ExecutorInfoResponse
    | RecoveryResponse
    | CancelResponse
    | ResumeResponse
    | DeleteResponse
    | ExistPendingWorkflowsResponse
    | RetentionResponse
    | ListWorkflowsResponse
    | ListQueuedWorkflowsResponse
    | GetWorkflowResponse
    | ListStepsResponse
    | GetWorkflowEventsResponse
    | GetWorkflowNotificationsResponse
    | GetWorkflowStreamsResponse
    | GetWorkflowAggregatesResponse
    | GetStepAggregatesResponse
    | ForkWorkflowResponse
    | ForkFromFailureResponse
    | ExportWorkflowResponse
    | ImportWorkflowResponse
    | ListSchedulesResponse
    | GetScheduleResponse
    | PauseScheduleResponse
    | ResumeScheduleResponse
    | TriggerScheduleResponse
    | BackfillScheduleResponse
    | ListQueuesResponse
    | GetQueueResponse
    | GetMetricsResponse
    | ListApplicationVersionsResponse
    | SetLatestApplicationVersionResponse
    | AlertResponse
    | RestartResponse
    | RewindWorkflowResponse
)
"""Any response, in documented order; decoded by its `type`."""
