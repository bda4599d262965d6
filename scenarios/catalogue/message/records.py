"""Records as executors send them, and what the API shows of them (API document)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from scenarios.world import Answer, World

WORKFLOW: Mapping[str, Any] = {
    "WorkflowUUID": "wf-1",
    "Status": "ERROR",
    "WorkflowName": "checkout",
    "WorkflowClassName": "Shop",
    "WorkflowConfigName": "eu",
    "AuthenticatedUser": "ada",
    "AssumedRole": "clerk",
    "AuthenticatedRoles": '["clerk", "buyer"]',
    "Input": "{'args': (1,), 'kwargs': {}}",
    "Output": None,
    "Error": 'boom: "ä"',
    "CreatedAt": "1700000000123",
    "UpdatedAt": "1700000001500",
    "QueueName": "orders",
    "ApplicationVersion": "v1",
    "ExecutorID": "executor-1",
    "WorkflowTimeoutMS": "30000",
    "WorkflowDeadlineEpochMS": "1700000030123",
    "DeduplicationID": "once",
    "Priority": "7",
    "QueuePartitionKey": "north",
    "ForkedFrom": "wf-0",
    "WasForkedFrom": True,
    "ParentWorkflowID": "wf-parent",
    "DequeuedAt": "1700000000456",
    "DelayUntilEpochMS": "1700000000400",
    "CompletedAt": "1700000001499",
    "Attributes": '{"tier": "gold"}',
    "ScheduleName": "nightly",
    "ApplicationName": "shop",
}
"""A record with every key set, as Python and Java send it."""

WORKFLOW_SHOWN: Mapping[str, Any] = {
    "workflowId": "wf-1",
    "status": "ERROR",
    "workflowName": "checkout",
    "workflowClass": "Shop",
    "workflowConfig": "eu",
    "user": "ada",
    "assumedRole": "clerk",
    "roles": '["clerk", "buyer"]',
    "input": "{'args': (1,), 'kwargs': {}}",
    "error": 'boom: "ä"',
    "queueName": "orders",
    "appVersion": "v1",
    "executorId": "executor-1",
    "timeoutMs": 30000,
    "deduplicationId": "once",
    "priority": 7,
    "queuePartitionKey": "north",
    "forkedFrom": "wf-0",
    "wasForkedFrom": True,
    "parentWorkflowId": "wf-parent",
    "attributes": '{"tier": "gold"}',
    "scheduleName": "nightly",
    "applicationName": "shop",
}
"""What the API shows of it, times apart: their text may be written in several ways."""

WORKFLOW_TIMES: Mapping[str, int] = {
    "createdAt": 1700000000123,
    "updatedAt": 1700000001500,
    "deadline": 1700000030123,
    "dequeuedAt": 1700000000456,
    "delayUntil": 1700000000400,
    "completedAt": 1700000001499,
}
"""Its times in epoch milliseconds."""

SPARSE: Mapping[str, Any] = {
    "WorkflowUUID": "wf-1",
    "Status": "PENDING",
    "CreatedAt": "1700000000123",
    "UpdatedAt": "1700000000123",
}
"""A record without what is unset, as TypeScript and Go send it."""

SPARSE_SHOWN: Mapping[str, Any] = {"workflowId": "wf-1", "status": "PENDING", "priority": 0, "wasForkedFrom": False}
"""``priority`` and ``wasForkedFrom`` are not nullable in the API."""


def epoch_ms(text: object) -> int | None:
    """An RFC 3339 time in epoch milliseconds; None for anything else."""
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return None if moment.tzinfo is None else round(moment.timestamp() * 1000)


def expect_times(world: World, clause: str, answer: Answer, times: Mapping[str, int], *path: int) -> None:
    """The times of one object of the answer's body; ``path``: its place in an array."""
    found: Any = answer.body
    for place in path:
        found = found[place] if isinstance(found, list) and len(found) > place else None
    shown = {name: epoch_ms(found.get(name)) if isinstance(found, dict) else None for name in times}
    world.expect(clause, "equal", "RFC 3339 times", name="times, epoch ms", want=dict(times), got=shown)


def names(value: object) -> Sequence[object]:
    """A filter that may be written as one name or as several."""
    return value if isinstance(value, list) else [value]
