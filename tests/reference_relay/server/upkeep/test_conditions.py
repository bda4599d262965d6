"""What each kind of rule asks for, and when it has something to say."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from conductor.messages import GetWorkflowAggregatesBody
from conductor.records import WorkflowAggregateRecord
from reference_relay.core.records import AppKey
from reference_relay.server.upkeep.alerts import is_due
from reference_relay.server.upkeep.conditions import (
    ExecutorNotRecovered,
    InvalidMetadata,
    MetricThreshold,
    SlowQueue,
    UnresponsiveApplication,
    WorkflowFailure,
    condition_of,
)
from reference_relay.store import MetricPoint, RuleRecord

SHOP = AppKey("acme", "shop")
NOW_MS = 1_767_225_600_000


def rule(type_: str, metadata: Any = None, **changes: Any) -> RuleRecord:
    fields: dict[str, Any] = {
        "application": SHOP, "id": "r1", "type": type_, "metadata": metadata, "receiver": "shop",
        "min_interval_s": None, "created_ms": 0,
    }  # fmt: skip
    return RuleRecord(**(fields | changes))


def rows(*counts: int) -> list[WorkflowAggregateRecord]:
    return [WorkflowAggregateRecord(group={"name": str(n)}, count=count) for n, count in enumerate(counts)]


def point(name: str, value: int, type_: str = "workflow_count") -> MetricPoint:
    return MetricPoint(application=SHOP, type=type_, name=name, granularity_s=300, bucket_ms=0, value=value)


@pytest.mark.parametrize(
    ("type_", "metadata", "condition"),
    [
        ("WorkflowFailure", None, WorkflowFailure()),
        ("WorkflowFailure", {}, WorkflowFailure()),
        (
            "WorkflowFailure",
            {"workflow_name": "order", "threshold": "3", "period_secs": 60},
            WorkflowFailure(workflow_name="order", threshold=3, period_secs=60),
        ),
        ("SlowQueue", {"queue_name": "q", "threshold_secs": 5}, SlowQueue(queue_name="q", threshold_secs=5)),
        ("UnresponsiveApplication", {}, UnresponsiveApplication()),
        ("ExecutorNotRecovered", None, ExecutorNotRecovered()),
        ("MetricThreshold", {"metric_name": "m", "threshold": 2.5}, MetricThreshold(metric_name="m", threshold=2.5)),
    ],
)
def test_metadata(type_: str, metadata: Any, condition: object) -> None:
    assert condition_of(rule(type_, metadata)) == condition


@pytest.mark.parametrize(
    ("type_", "metadata"),
    [
        ("WorkflowFailure", {"threshold": 0}),
        ("WorkflowFailure", {"treshold": 1}),
        ("WorkflowFailure", "often"),
        ("SlowQueue", {"threshold_secs": "soon"}),
        ("UnresponsiveApplication", {"application_name": "x"}),
        ("MetricThreshold", {"metric_name": "m"}),
        ("MetricThreshold", None),
        ("MetricThreshold", {"metric_name": "m", "threshold": "nan"}),
        ("MetricThreshold", {"metric_name": "m", "threshold": "inf"}),
    ],
)
def test_metadata_that_fit_nothing(type_: str, metadata: Any) -> None:
    with pytest.raises(InvalidMetadata, match=type_):
        condition_of(rule(type_, metadata))


@pytest.mark.parametrize("condition", [WorkflowFailure(workflow_name="order"), SlowQueue(queue_name="q")])
def test_questions_are_bodies_of_the_message(condition: WorkflowFailure | SlowQueue) -> None:
    body = msgspec.convert(condition.question(NOW_MS), GetWorkflowAggregatesBody, strict=True)
    assert body.select_count is True
    assert (body.name, body.queue_name) in ((("order",), msgspec.UNSET), (msgspec.UNSET, ("q",)))


def test_questions_look_back_as_far_as_the_rule_says() -> None:
    assert WorkflowFailure(period_secs=60).question(NOW_MS)["completed_after"] == "2025-12-31T23:59:00.000+00:00"
    assert SlowQueue(threshold_secs=5).question(NOW_MS)["end_time"] == "2025-12-31T23:59:55.000+00:00"


def test_workflow_failure() -> None:
    condition = WorkflowFailure(threshold=3)
    assert condition.judge(rows(1, 1)) is None
    alert = condition.judge(rows(2, 1))
    assert alert is not None
    assert alert.metadata == {
        "workflow_name": "*", "failed_workflow_count": "3", "threshold": "3", "period_secs": "300"
    }  # fmt: skip


def test_slow_queue() -> None:
    assert SlowQueue().judge(rows()) is None
    assert SlowQueue().judge(rows(0)) is None
    alert = SlowQueue(queue_name="q", threshold_secs=9).judge(rows(4))
    assert alert is not None
    assert alert.metadata == {"queue_name": "q", "stuck_workflow_count": "4", "threshold_secs": "9"}


def test_unresponsive_application() -> None:
    assert UnresponsiveApplication().judge("shop", 1) is None
    alert = UnresponsiveApplication().judge("shop", 0)
    assert alert is not None
    assert alert.metadata == {"application_name": "shop", "connected_executor_count": "0"}


def test_executor_not_recovered() -> None:
    assert ExecutorNotRecovered().judge("shop", []) is None
    alert = ExecutorNotRecovered().judge("shop", [("e2", "no peer"), ("e1", "no peer of v1")])
    assert alert is not None
    assert alert.metadata["executor_ids"] == "e1,e2"
    assert alert.metadata["reason"] == "no peer of v1"


def test_metric_threshold() -> None:
    condition = MetricThreshold(metric_name="order", threshold=5)
    assert condition.judge([point("order", 4), point("other", 9)]) is None
    alert = condition.judge([point("order", 4), point("order", 5)])
    assert alert is not None
    assert alert.metadata == {"metric_name": "order", "value": "5", "threshold": "5"}
    of_steps = MetricThreshold(metric_name="order", threshold=5, metric_type="step_count")
    assert of_steps.judge([point("order", 9)]) is None


@pytest.mark.parametrize(
    ("min_interval_s", "last_fired_ms", "stood", "due"),
    [
        (None, None, False, True),
        (None, None, True, False),
        (None, NOW_MS - 1, False, True),
        (60, None, False, True),
        (60, NOW_MS - 59_999, False, False),
        (60, NOW_MS - 60_000, True, True),
    ],
)
def test_when_a_rule_speaks(min_interval_s: int | None, last_fired_ms: int | None, stood: bool, due: bool) -> None:
    speaking = rule("SlowQueue", min_interval_s=min_interval_s, last_fired_ms=last_fired_ms)
    assert is_due(speaking, stood=stood, now_ms=NOW_MS) is due
