"""What is exchanged about what workflows carry (events, messages, streams), and about how many there are."""

from __future__ import annotations

from typing import Any

from scenarios.catalogue.message.exchange import Call, Case, Exchanges, Odd
from scenarios.catalogue.message.of_workflows import BEYOND_DOUBLE, LARGE, MOMENT, ODD_ID, TIME, no_rows

_ABOUT = {"workflow_id": ODD_ID}
PAYLOADS = (
    Exchanges(
        type="get_workflow_events",
        cases=(
            Case(
                call=Call(operation="list_workflow_events", subject=ODD_ID),
                sent=_ABOUT,
                answered={"events": [{"key": "paid", "value": "true"}, {"key": "ä/b", "value": ""}]},
                shown=[{"key": "paid", "value": "true"}, {"key": "ä/b", "value": ""}],
            ),
        ),
        odd=(
            *no_rows("events"),
            Odd(
                what="a large value", answered={"events": [{"key": "", "value": LARGE}]},
                shown=[{"key": "", "value": LARGE}],
            ),
        ),
    ),
    Exchanges(
        type="get_workflow_notifications",
        cases=(
            Case(
                call=Call(operation="list_workflow_notifications", subject=ODD_ID),
                sent=_ABOUT,
                answered={
                    "notifications": [
                        {"topic": "paid", "message": "7", "created_at_epoch_ms": 1700000000123, "consumed": True},
                        {"topic": None, "message": "", "created_at_epoch_ms": 0, "consumed": False},
                    ]
                },
                shown=[
                    {"topic": "paid", "message": "7", "consumed": True},
                    {"topic": None, "message": "", "consumed": False},
                ],
                times={"createdAt": 1700000000123},
            ),
        ),
        odd=(
            *no_rows("notifications"),
            Odd(
                what="no topic at all",
                answered={"notifications": [{"message": LARGE, "created_at_epoch_ms": 1, "consumed": False}]},
                shown=[{"topic": None, "message": LARGE, "consumed": False}],
                times={"createdAt": 1},
            ),
        ),
    ),
    Exchanges(
        type="get_workflow_streams",
        cases=(
            Case(
                call=Call(operation="list_workflow_streams", subject=ODD_ID),
                sent=_ABOUT,
                answered={"streams": [{"key": "log", "values": ["1", "", "ä"]}, {"key": "none", "values": []}]},
                shown=[{"key": "log", "values": ["1", "", "ä"]}, {"key": "none", "values": []}],
            ),
        ),
        odd=(
            *no_rows("streams"),
            Odd(
                what="many values", answered={"streams": [{"key": "", "values": [str(n) for n in range(2000)]}]},
                shown=[{"key": "", "values": [str(n) for n in range(2000)]}],
            ),
        ),
    ),
)  # fmt: skip

_COUNTS: dict[str, Any] = {
    "group": {"status": "ERROR", "name": None, "time_bucket": "1700000000000"},
    "count": BEYOND_DOUBLE,
    "min_created_at": 1700000000123,
    "max_queue_wait_ms": 0,
    "max_total_latency_ms": 12,
}
COUNTING = (
    Exchanges(
        type="get_workflow_aggregates",
        cases=(
            Case(
                call=Call(
                    operation="get_workflow_aggregates",
                    body={
                        "groupByStatus": True,
                        "groupByWorkflowName": True,
                        "groupByAppVersion": True,
                        "selectCount": True,
                        "timeBucketSizeMs": 60_000,
                        "workflowName": ["checkout"],
                        "status": ["PENDING", "ERROR"],
                        "workflowIds": ["wf-1"],
                        "user": ["ada"],
                        "startTime": TIME,
                    },
                ),
                sent={
                    "body": {
                        "group_by_status": True,
                        "group_by_name": True,
                        "group_by_application_version": True,
                        "select_count": True,
                        "time_bucket_size_ms": 60_000,
                        "name": ["checkout"],
                        "status": ["PENDING", "ERROR"],
                        "workflow_ids": ["wf-1"],
                        "workflow_uuids": ["wf-1"],
                        "user": ["ada"],
                        "authenticated_user": ["ada"],
                        "start_time": MOMENT,
                    }
                },
                answered={"output": [_COUNTS]},
                shown=[
                    {
                        "group": {"status": "ERROR", "name": None},
                        "count": BEYOND_DOUBLE,
                        "maxQueueWaitMs": 0,
                        "maxTotalLatencyMs": 12,
                    }
                ],
                times={"minCreatedAt": 1700000000123},
            ),
        ),
        odd=(
            *no_rows("output", absent=False),
            Odd(
                what="nothing but the group", answered={"output": [{"group": {"queue_name": "ä"}}]},
                shown=[{"group": {"queue_name": "ä"}}],
            ),
            Odd(
                what="null for what was not selected",
                answered={"output": [{"group": {}, "count": 0, "min_created_at": None, "max_queue_wait_ms": None}]},
                shown=[{"group": {}, "count": 0}],
            ),
        ),
    ),
    Exchanges(
        type="get_step_aggregates",
        cases=(
            Case(
                call=Call(
                    operation="get_step_aggregates",
                    body={
                        "groupByFunctionName": True,
                        "selectMaxDurationMs": True,
                        "stepName": ["charge"],
                        "status": ["SUCCESS"],
                        "completedBefore": TIME,
                    },
                ),
                sent={
                    "body": {
                        "group_by_function_name": True,
                        "select_max_duration_ms": True,
                        "function_name": ["charge"],
                        "status": ["SUCCESS"],
                        "completed_before": MOMENT,
                    }
                },
                answered={"output": [{"group": {"function_name": "charge"}, "max_duration_ms": BEYOND_DOUBLE}]},
                shown=[{"group": {"function_name": "charge"}, "maxDurationMs": BEYOND_DOUBLE}],
            ),
        ),
        odd=(
            *no_rows("output", absent=False),
            Odd(
                what="null in a group, zero as a count", answered={"output": [{"group": {"status": None}, "count": 0}]},
                shown=[{"group": {"status": None}, "count": 0}],
            ),
        ),
    ),
)  # fmt: skip
