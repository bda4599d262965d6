"""The records inside responses, with their exact names on the wire (protocol page; presence measured with Python and
TypeScript, read in the Go and Java clients).

Python and Java send every key, null when unset; TypeScript and Go leave unset keys out. So a field that may be unset is
`UNSET` when absent and `None` when null, and readers treat both alike. Values that an SDK renders for people (Input,
Output, Error, context, event values) are opaque text.
"""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

from conductor.field_types import Int64, OptionalInt, OptionalNumber, OptionalText

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


class WorkflowRecord(Struct, frozen=True, kw_only=True):
    """One row of workflow_status. Times are epoch milliseconds and `Priority` an integer, all as decimal text.

    `Request` exists in Java only, always null; `ApplicationName` does not exist in Java.
    """

    WorkflowUUID: str
    Status: str
    WorkflowName: OptionalText = UNSET
    WorkflowClassName: OptionalText = UNSET
    WorkflowConfigName: OptionalText = UNSET
    AuthenticatedUser: OptionalText = UNSET
    AssumedRole: OptionalText = UNSET
    AuthenticatedRoles: OptionalText = UNSET
    Input: OptionalText = UNSET
    Output: OptionalText = UNSET
    Error: OptionalText = UNSET
    CreatedAt: OptionalText = UNSET
    UpdatedAt: OptionalText = UNSET
    QueueName: OptionalText = UNSET
    ApplicationVersion: OptionalText = UNSET
    ExecutorID: OptionalText = UNSET
    WorkflowTimeoutMS: OptionalText = UNSET
    WorkflowDeadlineEpochMS: OptionalText = UNSET
    DeduplicationID: OptionalText = UNSET
    Priority: OptionalText = UNSET
    QueuePartitionKey: OptionalText = UNSET
    ForkedFrom: OptionalText = UNSET
    WasForkedFrom: bool | UnsetType | None = UNSET
    ParentWorkflowID: OptionalText = UNSET
    DequeuedAt: OptionalText = UNSET
    DelayUntilEpochMS: OptionalText = UNSET
    CompletedAt: OptionalText = UNSET
    Attributes: OptionalText = UNSET
    ScheduleName: OptionalText = UNSET
    ApplicationName: OptionalText = UNSET
    Request: UnsetType | None = UNSET


class StepRecord(Struct, frozen=True, kw_only=True):
    """One recorded step. The first `function_id` is 1 in Python and 0 elsewhere; times are decimal text (epoch ms)."""

    function_id: Int64
    function_name: str
    output: OptionalText = UNSET
    error: OptionalText = UNSET
    child_workflow_id: OptionalText = UNSET
    started_at_epoch_ms: OptionalText = UNSET
    completed_at_epoch_ms: OptionalText = UNSET


class ScheduleRecord(Struct, frozen=True, kw_only=True):
    """One schedule; `schedule` is cron text, `status` ACTIVE or PAUSED, `last_fired_at` ISO 8601 text."""

    schedule_id: str
    schedule_name: str
    workflow_name: str
    schedule: str
    status: str
    automatic_backfill: bool
    workflow_class_name: OptionalText = UNSET
    context: OptionalText = UNSET
    last_fired_at: OptionalText = UNSET
    cron_timezone: OptionalText = UNSET
    queue_name: OptionalText = UNSET
    application_name: OptionalText = UNSET


class QueueRecord(Struct, frozen=True, kw_only=True):
    """One stored queue. Go and Java lack the partition_ fields but `partition_queue`, Java `application_name` too."""

    name: str
    priority_enabled: bool
    partition_queue: bool
    polling_interval_sec: Int64 | float
    concurrency: OptionalInt = UNSET
    worker_concurrency: OptionalInt = UNSET
    rate_limit_max: OptionalInt = UNSET
    rate_limit_period_sec: OptionalNumber = UNSET
    application_name: OptionalText = UNSET
    partition_concurrency: OptionalInt = UNSET
    partition_worker_concurrency: OptionalInt = UNSET
    partition_rate_limit_max: OptionalInt = UNSET
    partition_rate_limit_period_sec: OptionalNumber = UNSET


class VersionRecord(Struct, frozen=True, kw_only=True):
    """One application version; times are epoch milliseconds as JSON numbers."""

    version_id: str
    version_name: str
    version_timestamp: Int64
    created_at: Int64


class MetricRecord(Struct, frozen=True, kw_only=True):
    """`metric_type` is workflow_count or step_count, `metric_name` the workflow or step, `value` a whole number."""

    metric_type: str
    metric_name: str
    value: Int64 | float


class WorkflowAggregateRecord(Struct, frozen=True, kw_only=True):
    """One group: a key per group_by flag, plus `time_bucket` (epoch milliseconds as decimal text)."""

    group: dict[str, str | None]
    count: OptionalInt = UNSET
    min_created_at: OptionalInt = UNSET
    max_queue_wait_ms: OptionalInt = UNSET
    max_total_latency_ms: OptionalInt = UNSET


class StepAggregateRecord(Struct, frozen=True, kw_only=True):
    """One group: keys among function_name, status and `time_bucket` (epoch milliseconds as decimal text)."""

    group: dict[str, str | None]
    count: OptionalInt = UNSET
    max_duration_ms: OptionalInt = UNSET


class EventRecord(Struct, frozen=True, kw_only=True):
    """One event of a workflow."""

    key: str
    value: str


class NotificationRecord(Struct, frozen=True, kw_only=True):
    """One message that was sent to a workflow."""

    message: str
    created_at_epoch_ms: Int64
    consumed: bool
    topic: OptionalText = UNSET


class StreamRecord(Struct, frozen=True, kw_only=True):
    """One stream of a workflow, its values in write order without the end mark."""

    key: str
    values: tuple[str, ...]
