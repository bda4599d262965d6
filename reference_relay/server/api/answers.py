"""The shapes of answers, named as in the API document. Times are RFC 3339 text, durations carry their unit."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, UnsetType

from reference_relay.server.api.shapes import Answer, Double, Int32, Int64, Moment

# ---- from the relay's own records


class Application(Answer, frozen=True, kw_only=True):
    id: str
    name: str
    org_id: str
    status: Literal["AVAILABLE", "UNAVAILABLE"]
    language: str | None
    dbos_cloud: bool
    private_mode: bool
    executor_timeout_secs: Int64
    gc_rows_threshold: Int64 | None
    gc_time_threshold_ms: Int64 | None
    global_timeout_ms: Int64 | None


class Executor(Answer, frozen=True, kw_only=True):
    executor_id: str
    app_id: str
    app_version: str
    status: Literal["HEALTHY", "DISCONNECTED", "DEAD"]
    host_id: str | None
    hostname: str | None
    language: str | None
    dbos_version: str | None
    executor_metadata: dict[str, Any] | None
    created_at: Moment
    updated_at: Moment


class Metric(Answer, frozen=True, kw_only=True):
    app_id: str
    metric_type: str
    metric_name: str
    granularity: Int32
    time_bucket: Moment
    value: Int64


class Token(Answer, frozen=True, kw_only=True):
    token_name: str
    permissions: list[str]
    app_ids: list[str]
    created_at: Moment


class TokenCreated(Answer, frozen=True, kw_only=True):
    token: str
    token_name: str


class AuditSubject(Answer, frozen=True, kw_only=True):
    type: Literal["user", "api_key"]
    id: str
    display: str


class AuditTarget(Answer, frozen=True, kw_only=True):
    type: Literal[
        "application", "token", "role", "user", "organization", "workflow", "schedule", "alerting_rule", "domain_claim"
    ]
    id: str


class AuditLogEntry(Answer, frozen=True, kw_only=True):
    id: str
    emit_time: Moment
    operation: str
    status: Literal["success", "failure"]
    subject: AuditSubject
    target: AuditTarget | UnsetType = UNSET
    source_ip: str
    details: dict[str, Any] | None


# ---- from executors


class ApplicationVersion(Answer, frozen=True, kw_only=True):
    version_id: str
    version_name: str
    version_timestamp: Moment
    created_at: Moment


class Workflow(Answer, frozen=True, kw_only=True):
    workflow_id: str
    status: str
    workflow_name: str | None
    workflow_class: str | None
    workflow_config: str | None
    user: str | None
    assumed_role: str | None
    roles: str | None
    input: str | None
    output: str | None
    error: str | None
    created_at: Moment
    updated_at: Moment
    queue_name: str | None
    app_version: str | None
    executor_id: str | None
    timeout_ms: Int64 | None
    deadline: Moment | None
    deduplication_id: str | None
    priority: Int32
    queue_partition_key: str | None
    forked_from: str | None
    was_forked_from: bool
    parent_workflow_id: str | None
    dequeued_at: Moment | None
    delay_until: Moment | None
    completed_at: Moment | None
    attributes: str | None
    schedule_name: str | None
    application_name: str | None


class Step(Answer, frozen=True, kw_only=True):
    step_id: Int32
    step_name: str
    output: str | None
    error: str | None
    child_workflow_id: str | None
    started_at: Moment | None
    completed_at: Moment | None


class Event(Answer, frozen=True, kw_only=True):
    key: str
    value: str


class Notification(Answer, frozen=True, kw_only=True):
    topic: str | None
    message: str
    created_at: Moment
    consumed: bool


class StreamEntry(Answer, frozen=True, kw_only=True):
    key: str
    values: list[str]


class WorkflowAggregate(Answer, frozen=True, kw_only=True):
    group: dict[str, str | None]
    count: Int64 | UnsetType = UNSET
    min_created_at: Moment | UnsetType = UNSET
    max_queue_wait_ms: Int64 | UnsetType = UNSET
    max_total_latency_ms: Int64 | UnsetType = UNSET


class StepAggregate(Answer, frozen=True, kw_only=True):
    group: dict[str, str | None]
    count: Int64 | UnsetType = UNSET
    max_duration_ms: Int64 | UnsetType = UNSET


class ForkWorkflowOutputBody(Answer, frozen=True, kw_only=True):
    workflow_id: str


class BulkForkFromFailureOutputBody(Answer, frozen=True, kw_only=True):
    workflow_ids: list[str]


class ExportWorkflowOutputBody(Answer, frozen=True, kw_only=True):
    serialized_workflow: str


class Queue(Answer, frozen=True, kw_only=True):
    name: str
    application_name: str | None
    concurrency: Int32 | None
    worker_concurrency: Int32 | None
    rate_limit_max: Int32 | None
    rate_limit_period_secs: Double | None
    priority_enabled: bool
    partition_queue: bool
    polling_interval_secs: Double


class Schedule(Answer, frozen=True, kw_only=True):
    schedule_id: str
    schedule_name: str
    workflow_name: str
    workflow_class: str | None
    cron_expression: str
    cron_timezone: str | None
    status: str
    context: str | None
    last_fired_at: Moment | None
    automatic_backfill: bool
    application_name: str | None


class TriggerOutputBody(Answer, frozen=True, kw_only=True):
    workflow_id: str


class BackfillOutputBody(Answer, frozen=True, kw_only=True):
    workflow_ids: list[str]


# ---- extensions (docs/extensions.md)


class SettingsExtensions(Answer, frozen=True, kw_only=True):
    recover_to_latest_version: bool


class SurfacedRecovery(Answer, frozen=True, kw_only=True):
    executor_id: str
    app_version: str
    language: str | None
    reason: str | None
    attempts: Int64
    dead_since: Moment
