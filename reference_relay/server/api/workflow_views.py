"""Rows of executors as the API shows them: numbers come as text, absent and null are both null."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from conductor.records import StepRecord, WorkflowRecord
from reference_relay.server.api.problems import Problem
from reference_relay.server.api.times import rfc3339


def workflow_view(row: WorkflowRecord) -> dict[str, Any]:
    """Raises Problem 502 for a row whose numbers are none."""
    return {
        "workflowId": row.WorkflowUUID,
        "status": row.Status,
        "workflowName": _text(row.WorkflowName),
        "workflowClass": _text(row.WorkflowClassName),
        "workflowConfig": _text(row.WorkflowConfigName),
        "user": _text(row.AuthenticatedUser),
        "assumedRole": _text(row.AssumedRole),
        "roles": _text(row.AuthenticatedRoles),
        "input": _text(row.Input),
        "output": _text(row.Output),
        "error": _text(row.Error),
        "createdAt": _time(row.CreatedAt) or rfc3339(0),
        "updatedAt": _time(row.UpdatedAt) or _time(row.CreatedAt) or rfc3339(0),
        "queueName": _text(row.QueueName),
        "appVersion": _text(row.ApplicationVersion),
        "executorId": _text(row.ExecutorID),
        "timeoutMs": _integer(row.WorkflowTimeoutMS),
        "deadline": _time(row.WorkflowDeadlineEpochMS),
        "deduplicationId": _text(row.DeduplicationID),
        "priority": _integer(row.Priority) or 0,
        "queuePartitionKey": _text(row.QueuePartitionKey),
        "forkedFrom": _text(row.ForkedFrom),
        "wasForkedFrom": row.WasForkedFrom is True,
        "parentWorkflowId": _text(row.ParentWorkflowID),
        "dequeuedAt": _time(row.DequeuedAt),
        "delayUntil": _time(row.DelayUntilEpochMS),
        "completedAt": _time(row.CompletedAt),
        "attributes": _text(row.Attributes),
        "scheduleName": _text(row.ScheduleName),
        "applicationName": _text(row.ApplicationName),
    }


def step_view(row: StepRecord) -> dict[str, Any]:
    return {
        "stepId": row.function_id,
        "stepName": row.function_name,
        "output": _text(row.output),
        "error": _text(row.error),
        "childWorkflowId": _text(row.child_workflow_id),
        "startedAt": _time(row.started_at_epoch_ms),
        "completedAt": _time(row.completed_at_epoch_ms),
    }


def _text(value: object) -> object:
    return None if value is UNSET else value


def _integer(value: object) -> int | None:
    if value is UNSET or value is None or value == "":
        return None
    try:
        return int(str(value))
    except ValueError as error:
        raise Problem(502, "the executor's answer has text where a number belongs") from error


def _time(value: object) -> str | None:
    epoch_ms = _integer(value)
    try:
        return None if epoch_ms is None else rfc3339(epoch_ms)
    except ValueError as error:
        raise Problem(502, f"the executor's answer has an impossible time: {error}") from error
