"""The records inside responses, with their exact names on the wire (protocol page; presence measured with Python and
TypeScript, read in the Go and Java clients).

Python and Java send every key, null when unset; TypeScript and Go leave unset keys out. So a field that may be unset is
`UNSET` when absent and `None` when null, and readers treat both alike. Values that an SDK renders for people (Input,
Output, Error, context, event values) are opaque text.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import UNSET, Struct, UnsetType

__all__ = [
    "EventRecord",
    "MetricRecord",
    "NotificationRecord",
    "QueueRecord",
    "ScheduleRecord",
    "StepAggregateRecord",
    "StepRecord",
    "StreamRecord",
    "VersionRecord",
    "WorkflowAggregateRecord",
    "WorkflowRecord",
]

_Text: TypeAlias = str | UnsetType | None
_Int: TypeAlias = int | UnsetType | None
_Number: TypeAlias = int | float | UnsetType | None


class WorkflowRecord(Struct, frozen=True, kw_only=True):
    """One row of workflow_status. Times are epoch milliseconds and `Priority` an integer, all as decimal text.

    `Request` exists in Java only, always null; `ApplicationName` does not exist in Java.
    """

    WorkflowUUID: str
    Status: str
    WorkflowName: _Text = UNSET
    WorkflowClassName: _Text = UNSET
    WorkflowConfigName: _Text = UNSET
    AuthenticatedUser: _Text = UNSET
    AssumedRole: _Text = UNSET
    AuthenticatedRoles: _Text = UNSET
    Input: _Text = UNSET
    Output: _Text = UNSET
    Error: _Text = UNSET
    CreatedAt: _Text = UNSET
    UpdatedAt: _Text = UNSET
    QueueName: _Text = UNSET
    ApplicationVersion: _Text = UNSET
    ExecutorID: _Text = UNSET
    WorkflowTimeoutMS: _Text = UNSET
    WorkflowDeadlineEpochMS: _Text = UNSET
    DeduplicationID: _Text = UNSET
    Priority: _Text = UNSET
    QueuePartitionKey: _Text = UNSET
    ForkedFrom: _Text = UNSET
    WasForkedFrom: bool | UnsetType | None = UNSET
    ParentWorkflowID: _Text = UNSET
    DequeuedAt: _Text = UNSET
    DelayUntilEpochMS: _Text = UNSET
    CompletedAt: _Text = UNSET
    Attributes: _Text = UNSET
    ScheduleName: _Text = UNSET
    ApplicationName: _Text = UNSET
    Request: UnsetType | None = UNSET


class StepRecord(Struct, frozen=True, kw_only=True):
    """One recorded step. The first `function_id` is 1 in Python and 0 elsewhere; times are decimal text (epoch ms)."""

    function_id: int
    function_name: str
    output: _Text = UNSET
    error: _Text = UNSET
    child_workflow_id: _Text = UNSET
    started_at_epoch_ms: _Text = UNSET
    completed_at_epoch_ms: _Text = UNSET


class ScheduleRecord(Struct, frozen=True, kw_only=True):
    """One schedule; `schedule` is cron text, `status` ACTIVE or PAUSED, `last_fired_at` ISO 8601 text."""

    schedule_id: str
    schedule_name: str
    workflow_name: str
    schedule: str
    status: str
    automatic_backfill: bool
    workflow_class_name: _Text = UNSET
    context: _Text = UNSET
    last_fired_at: _Text = UNSET
    cron_timezone: _Text = UNSET
    queue_name: _Text = UNSET
    application_name: _Text = UNSET


class QueueRecord(Struct, frozen=True, kw_only=True):
    """One stored queue. Go and Java lack the partition_ fields but `partition_queue`, Java `application_name` too."""

    name: str
    priority_enabled: bool
    partition_queue: bool
    polling_interval_sec: int | float
    concurrency: _Int = UNSET
    worker_concurrency: _Int = UNSET
    rate_limit_max: _Int = UNSET
    rate_limit_period_sec: _Number = UNSET
    application_name: _Text = UNSET
    partition_concurrency: _Int = UNSET
    partition_worker_concurrency: _Int = UNSET
    partition_rate_limit_max: _Int = UNSET
    partition_rate_limit_period_sec: _Number = UNSET


class VersionRecord(Struct, frozen=True, kw_only=True):
    """One application version; times are epoch milliseconds as JSON numbers."""

    version_id: str
    version_name: str
    version_timestamp: int
    created_at: int


class MetricRecord(Struct, frozen=True, kw_only=True):
    """`metric_type` is workflow_count or step_count, `metric_name` the workflow or step, `value` a whole number."""

    metric_type: str
    metric_name: str
    value: int | float


class WorkflowAggregateRecord(Struct, frozen=True, kw_only=True):
    """One group: a key per group_by flag, plus `time_bucket` (epoch milliseconds as decimal text)."""

    group: dict[str, str | None]
    count: _Int = UNSET
    min_created_at: _Int = UNSET
    max_queue_wait_ms: _Int = UNSET
    max_total_latency_ms: _Int = UNSET


class StepAggregateRecord(Struct, frozen=True, kw_only=True):
    """One group: keys among function_name, status and `time_bucket` (epoch milliseconds as decimal text)."""

    group: dict[str, str | None]
    count: _Int = UNSET
    max_duration_ms: _Int = UNSET


class EventRecord(Struct, frozen=True, kw_only=True):
    """One event of a workflow."""

    key: str
    value: str


class NotificationRecord(Struct, frozen=True, kw_only=True):
    """One message that was sent to a workflow."""

    message: str
    created_at_epoch_ms: int
    consumed: bool
    topic: _Text = UNSET


class StreamRecord(Struct, frozen=True, kw_only=True):
    """One stream of a workflow, its values in write order without the end mark."""

    key: str
    values: tuple[str, ...]
