"""Rows of executors about workflows, as answers."""

from __future__ import annotations

from msgspec import UNSET

from conductor.records import (
    EventRecord,
    NotificationRecord,
    StepAggregateRecord,
    StepRecord,
    StreamRecord,
    WorkflowAggregateRecord,
    WorkflowRecord,
)
from reference_relay.server.api.answers import (
    Event,
    Notification,
    Step,
    StepAggregate,
    StreamEntry,
    Workflow,
    WorkflowAggregate,
)
from reference_relay.server.api.times import rfc3339
from reference_relay.server.api.values import integer, present, text, time

__all__ = ["event", "notification", "step", "step_aggregate", "stream", "workflow", "workflow_aggregate"]


def workflow(row: WorkflowRecord) -> Workflow:
    """Raises Problem 502 for a row whose numbers are none."""
    created_at = time(row.CreatedAt) or rfc3339(0)
    return Workflow(
        workflow_id=row.WorkflowUUID,
        status=row.Status,
        workflow_name=text(row.WorkflowName),
        workflow_class=text(row.WorkflowClassName),
        workflow_config=text(row.WorkflowConfigName),
        user=text(row.AuthenticatedUser),
        assumed_role=text(row.AssumedRole),
        roles=text(row.AuthenticatedRoles),
        input=text(row.Input),
        output=text(row.Output),
        error=text(row.Error),
        created_at=created_at,
        updated_at=time(row.UpdatedAt) or created_at,
        queue_name=text(row.QueueName),
        app_version=text(row.ApplicationVersion),
        executor_id=text(row.ExecutorID),
        timeout_ms=integer(row.WorkflowTimeoutMS),
        deadline=time(row.WorkflowDeadlineEpochMS),
        deduplication_id=text(row.DeduplicationID),
        priority=integer(row.Priority, 32) or 0,
        queue_partition_key=text(row.QueuePartitionKey),
        forked_from=text(row.ForkedFrom),
        was_forked_from=row.WasForkedFrom is True,
        parent_workflow_id=text(row.ParentWorkflowID),
        dequeued_at=time(row.DequeuedAt),
        delay_until=time(row.DelayUntilEpochMS),
        completed_at=time(row.CompletedAt),
        attributes=text(row.Attributes),
        schedule_name=text(row.ScheduleName),
        application_name=text(row.ApplicationName),
    )


def step(row: StepRecord) -> Step:
    return Step(
        step_id=integer(row.function_id, 32) or 0,
        step_name=row.function_name,
        output=text(row.output),
        error=text(row.error),
        child_workflow_id=text(row.child_workflow_id),
        started_at=time(row.started_at_epoch_ms),
        completed_at=time(row.completed_at_epoch_ms),
    )


def event(row: EventRecord) -> Event:
    return Event(key=row.key, value=row.value)


def notification(row: NotificationRecord) -> Notification:
    return Notification(
        topic=text(row.topic),
        message=row.message,
        created_at=time(row.created_at_epoch_ms) or rfc3339(0),
        consumed=row.consumed,
    )


def stream(row: StreamRecord) -> StreamEntry:
    return StreamEntry(key=row.key, values=list(row.values))


def workflow_aggregate(row: WorkflowAggregateRecord) -> WorkflowAggregate:
    return WorkflowAggregate(
        group=row.group,
        count=present(row.count),
        min_created_at=time(row.min_created_at) or UNSET,
        max_queue_wait_ms=present(row.max_queue_wait_ms),
        max_total_latency_ms=present(row.max_total_latency_ms),
    )


def step_aggregate(row: StepAggregateRecord) -> StepAggregate:
    return StepAggregate(group=row.group, count=present(row.count), max_duration_ms=present(row.max_duration_ms))
