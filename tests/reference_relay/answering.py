"""What a healthy executor with some data answers: every field of every record, in the form that Python sends."""

from __future__ import annotations

from typing import Any

from tests.reference_relay.support import Executor, RelayProcess, version_row

MS = "1700000000000"
AT = "2023-11-14T22:13:20.000Z"
WORKFLOW_ROW: dict[str, Any] = {
    "WorkflowUUID": "w/1", "Status": "SUCCESS", "WorkflowName": "order", "WorkflowClassName": "Shop",
    "WorkflowConfigName": "main", "AuthenticatedUser": "ann", "AssumedRole": "clerk", "AuthenticatedRoles": '["clerk"]',
    "Input": "(1,)", "Output": "2", "Error": None, "CreatedAt": MS, "UpdatedAt": MS, "QueueName": "jobs",
    "ApplicationVersion": "v1", "ExecutorID": "e1", "WorkflowTimeoutMS": "5000", "WorkflowDeadlineEpochMS": MS,
    "DeduplicationID": "d1", "Priority": "3", "QueuePartitionKey": "p", "ForkedFrom": None, "WasForkedFrom": True,
    "ParentWorkflowID": "w0", "DequeuedAt": MS, "DelayUntilEpochMS": MS, "CompletedAt": MS, "Attributes": '{"a":1}',
    "ScheduleName": "nightly", "ApplicationName": "shop",
}  # fmt: skip
STEP_ROW: dict[str, Any] = {
    "function_id": 1, "function_name": "pay", "output": "1", "error": None, "child_workflow_id": "w2",
    "started_at_epoch_ms": MS, "completed_at_epoch_ms": MS,
}  # fmt: skip
QUEUE_ROW: dict[str, Any] = {
    "name": "jobs", "concurrency": 10, "worker_concurrency": 4, "rate_limit_max": 5, "rate_limit_period_sec": 1.5,
    "priority_enabled": True, "partition_queue": False, "polling_interval_sec": 1, "application_name": "shop",
}  # fmt: skip
SCHEDULE_ROW: dict[str, Any] = {
    "schedule_id": "s1", "schedule_name": "nightly", "workflow_name": "order", "workflow_class_name": "Shop",
    "schedule": "0 0 * * *", "status": "ACTIVE", "automatic_backfill": False, "context": "{}",
    "last_fired_at": "2023-11-14T22:13:20+00:00", "cron_timezone": "UTC", "queue_name": None,
    "application_name": "shop",
}  # fmt: skip
ANSWERS: dict[str, dict[str, Any]] = {
    "list_workflows": {"output": [WORKFLOW_ROW]},
    "list_queued_workflows": {"output": [WORKFLOW_ROW]},
    "get_workflow": {"output": WORKFLOW_ROW},
    "list_steps": {"output": [STEP_ROW]},
    "get_workflow_events": {"events": [{"key": "k", "value": "v"}]},
    "get_workflow_notifications": {
        "notifications": [{"topic": None, "message": "hi", "created_at_epoch_ms": int(MS), "consumed": True}]
    },
    "get_workflow_streams": {"streams": [{"key": "k", "values": ["a", "b"]}]},
    "get_workflow_aggregates": {
        "output": [
            {
                "group": {"status": "SUCCESS", "application_version": "v1"}, "count": 9, "min_created_at": int(MS),
                "max_queue_wait_ms": 5, "max_total_latency_ms": 6,
            }
        ]
    },
    "get_step_aggregates": {"output": [{"group": {"status": None}, "count": 2, "max_duration_ms": 3}]},
    "fork_workflow": {"new_workflow_id": "new/1"},
    "fork_from_failure": {"forked_workflow_ids": ["n1", "n2"]},
    "export_workflow": {"serialized_workflow": "H4sI"},
    "list_schedules": {"output": [SCHEDULE_ROW]},
    "get_schedule": {"output": SCHEDULE_ROW},
    "trigger_schedule": {"workflow_id": "sched/1"},
    "backfill_schedule": {"workflow_ids": ["b1"]},
    "list_queues": {"output": [QUEUE_ROW]},
    "get_queue": {"output": QUEUE_ROW},
    "get_metrics": {
        "metrics": [
            {"metric_type": "workflow_count", "metric_name": "order", "value": 7},
            {"metric_type": "step_count", "metric_name": "pay", "value": 21},
        ]
    },
    "list_application_versions": {"output": [version_row("v1", int(MS)), version_row("v0", 1)]},
}  # fmt: skip


def answering(relay: RelayProcess, app: str, executor_id: str = "e1", **options: Any) -> Executor:
    """An executor that answers everything. What is not in `ANSWERS` is answered with success."""
    executor = Executor(relay, app, executor_id, **options)
    for type_, fields in ANSWERS.items():
        executor.answers.setdefault(type_, lambda _, fields=fields: {**fields, "error_message": None})  # type: ignore[misc]
    return executor
