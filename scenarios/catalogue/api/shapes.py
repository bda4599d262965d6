"""The shapes of successful answers, as the public API document has them: names, kinds, what may be null or absent.

A kind is text, integer, number, flag, time, texts or map; ``?``: may be null, and is there all the same; ``~``: left
out where there is none. Objects have no other fields (the document's schemas forbid them), ``$schema`` excepted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scenarios.catalogue.message.records import epoch_ms

__all__ = ["BARE_LISTS", "EMPTY", "OBJECTS", "deviations"]

Shape = Mapping[str, str]

_WORKFLOW: Shape = {
    "workflowId": "text",
    "status": "text",
    "createdAt": "time",
    "updatedAt": "time",
    "priority": "integer",
    "wasForkedFrom": "flag",
    "timeoutMs": "integer?",
    **dict.fromkeys(("deadline", "dequeuedAt", "delayUntil", "completedAt"), "time?"),
    **dict.fromkeys(
        ("workflowName", "workflowClass", "workflowConfig", "user", "assumedRole", "roles", "input", "output", "error",
         "queueName", "appVersion", "executorId", "deduplicationId", "queuePartitionKey", "forkedFrom",
         "parentWorkflowId", "attributes", "scheduleName", "applicationName"),
        "text?",
    ),
}  # fmt: skip
_STEP: Shape = {
    "stepId": "integer",
    "stepName": "text",
    "output": "text?",
    "error": "text?",
    "childWorkflowId": "text?",
    "startedAt": "time?",
    "completedAt": "time?",
}
_QUEUE: Shape = {
    "name": "text",
    "applicationName": "text?",
    "concurrency": "integer?",
    "workerConcurrency": "integer?",
    "rateLimitMax": "integer?",
    "rateLimitPeriodSecs": "number?",
    "priorityEnabled": "flag",
    "partitionQueue": "flag",
    "pollingIntervalSecs": "number",
}
_SCHEDULE: Shape = {
    "scheduleId": "text",
    "scheduleName": "text",
    "workflowName": "text",
    "workflowClass": "text?",
    "cronExpression": "text",
    "cronTimezone": "text?",
    "status": "text",
    "context": "text?",
    "lastFiredAt": "time?",
    "automaticBackfill": "flag",
    "applicationName": "text?",
}
_WORKFLOW_AGGREGATE: Shape = {
    "group": "map",
    "count": "integer~",
    "minCreatedAt": "time~",
    "maxQueueWaitMs": "integer~",
    "maxTotalLatencyMs": "integer~",
}
_RULE: Shape = {
    "id": "text",
    "appId": "text",
    "receivingAppId": "text",
    "ruleType": "text",
    "ruleMetadata": "any",
    "minIntervalSecs": "integer?",
    "lastFiredAt": "time?",
}

BARE_LISTS: Mapping[str, Shape] = {
    "list_app_versions": {
        "versionId": "text",
        "versionName": "text",
        "versionTimestamp": "time",
        "createdAt": "time",
    },
    "list_workflows": _WORKFLOW,
    "search_workflows": _WORKFLOW,
    "list_workflow_steps": _STEP,
    "list_workflow_events": {"key": "text", "value": "text"},
    "list_workflow_notifications": {"topic": "text?", "message": "text", "createdAt": "time", "consumed": "flag"},
    "list_workflow_streams": {"key": "text", "values": "texts"},
    "get_workflow_aggregates": _WORKFLOW_AGGREGATE,
    "get_step_aggregates": {"group": "map", "count": "integer~", "maxDurationMs": "integer~"},
    "list_queues": _QUEUE,
    "list_schedules": _SCHEDULE,
    "list_alerting_rules": _RULE,
    "list_executors": {
        "executorId": "text",
        "appId": "text",
        "appVersion": "text",
        "status": "text",
        "hostId": "text?",
        "hostname": "text?",
        "language": "text?",
        "dbosVersion": "text?",
        "executorMetadata": "map?",
        "createdAt": "time",
        "updatedAt": "time",
    },
}
"""Operations that answer an array without an envelope, and the shape of one element."""

OBJECTS: Mapping[str, Shape] = {
    "get_app": {
        "id": "text",
        "name": "text",
        "orgId": "text",
        "status": "text",
        "language": "text?",
        "dbosCloud": "flag",
        "privateMode": "flag",
        "executorTimeoutSecs": "integer",
        "gcRowsThreshold": "integer?",
        "gcTimeThresholdMs": "integer?",
        "globalTimeoutMs": "integer?",
    },
    "get_workflow": _WORKFLOW,
    "get_queue": _QUEUE,
    "get_schedule": _SCHEDULE,
    "fork_workflow": {"workflowId": "text"},
    "bulk_fork_workflows_from_failure": {"workflowIds": "texts"},
    "export_workflow": {"serializedWorkflow": "text"},
    "trigger_schedule": {"workflowId": "text"},
    "backfill_schedule": {"workflowIds": "texts"},
    "create_alerting_rule": _RULE,
}
EMPTY = frozenset(
    {
        "set_latest_app_version", "cancel_workflow", "resume_workflow", "delete_workflow", "bulk_cancel_workflows",
        "bulk_resume_workflows", "bulk_delete_workflows", "import_workflow", "pause_schedule", "resume_schedule",
        "delete_alerting_rule",
    }
)  # fmt: skip
"""Operations that answer without a body."""


def deviations(operation: str, body: Any) -> list[str]:
    """How a successful answer differs from the document; a sentence each."""
    if operation in EMPTY:
        return [] if body is None else [f"a body where there is none: {str(body)[:80]}"]
    if operation in OBJECTS:
        return _of_object(OBJECTS[operation], body, "")
    if not isinstance(body, list):
        return [f"{type(body).__name__} instead of a bare array"]
    return [text for at, row in enumerate(body) for text in _of_object(BARE_LISTS[operation], row, f"[{at}].")]


def _of_object(shape: Shape, value: Any, place: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{place}{type(value).__name__} instead of an object"]
    found = [f"{place}{name} is no field of the document" for name in value if name not in shape and name != "$schema"]
    for name, kind in shape.items():
        if name not in value:
            if not kind.endswith("~"):
                found.append(f"{place}{name} is absent")
        elif not _is(value[name], kind):
            found.append(f"{place}{name} is {str(value[name])[:40]!r}, not {kind}")
    return found


def _is(value: Any, kind: str) -> bool:
    match kind.rstrip("?~"):
        case _ if value is None:
            return kind.endswith("?") or kind == "any"
        case "text":
            return isinstance(value, str)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "flag":
            return isinstance(value, bool)
        case "time":
            return epoch_ms(value) is not None
        case "texts":
            return isinstance(value, list) and all(isinstance(each, str) for each in value)
        case "map":
            return isinstance(value, dict)
    return kind == "any"
