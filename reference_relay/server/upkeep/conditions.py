"""What alerting rules look at, and when that is an alert. Pure but for the asking, which is the caller's.

The configured part of each kind has the names that the delivered metadata have (API documentation); what of it may be
left out has a default. ExecutorNotRecovered and MetricThreshold are extensions.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Annotated

import msgspec
from msgspec import Meta, UnsetType

from conductor.records import WorkflowAggregateRecord
from reference_relay.errors import RelayError
from reference_relay.server.api.times import portable
from reference_relay.store import MetricPoint, RuleRecord

__all__ = [
    "ANY",
    "Alert",
    "Condition",
    "ExecutorNotRecovered",
    "InvalidMetadata",
    "MetricThreshold",
    "SlowQueue",
    "UnresponsiveApplication",
    "WorkflowFailure",
    "condition_of",
]

ANY = "*"
Seconds = Annotated[int, Meta(ge=1, le=2**31)]
AtLeastOne = Annotated[int, Meta(ge=1, le=2**53)]
Finite = Annotated[float, Meta(ge=-sys.float_info.max, le=sys.float_info.max)]  # any value is at or above "nan"
_FAILED = ["ERROR", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]


class InvalidMetadata(RelayError):
    """The metadata of a rule don't fit its type; the text says what is allowed."""


class Alert(msgspec.Struct, frozen=True):
    """What an application is told. All metadata are text: Go answers nothing to anything else."""

    name: str
    message: str
    metadata: dict[str, str]


class Condition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The configured part of a rule."""


class WorkflowFailure(Condition, frozen=True, kw_only=True):
    """At least ``threshold`` workflows of that name failed within the last ``period_secs``."""

    workflow_name: str = ANY
    threshold: AtLeastOne = 1
    period_secs: Seconds = 300

    def question(self, now_ms: int) -> dict[str, object]:
        """The body of a get_workflow_aggregates request."""
        body: dict[str, object] = {
            "group_by_name": True,
            "select_count": True,
            "status": _FAILED,
            "completed_after": _before(now_ms, self.period_secs),
        }
        return body if self.workflow_name == ANY else {**body, "name": [self.workflow_name]}

    def judge(self, rows: Iterable[WorkflowAggregateRecord]) -> Alert | None:
        failed = _total(rows)
        if failed < self.threshold:
            return None
        whose = "Workflows" if self.workflow_name == ANY else f"Workflow {self.workflow_name}"
        metadata = {
            "workflow_name": self.workflow_name,
            "failed_workflow_count": str(failed),
            "threshold": str(self.threshold),
            "period_secs": str(self.period_secs),
        }
        return Alert("WorkflowFailure", f"{whose} failed {failed} times within {self.period_secs} seconds", metadata)


class SlowQueue(Condition, frozen=True, kw_only=True):
    """A workflow has waited on that queue for longer than ``threshold_secs``."""

    queue_name: str = ANY
    threshold_secs: Seconds = 300

    def question(self, now_ms: int) -> dict[str, object]:
        """The body of a get_workflow_aggregates request."""
        body: dict[str, object] = {
            "group_by_queue_name": True,
            "select_count": True,
            "status": ["ENQUEUED"],
            "end_time": _before(now_ms, self.threshold_secs),
        }
        return body if self.queue_name == ANY else {**body, "queue_name": [self.queue_name]}

    def judge(self, rows: Iterable[WorkflowAggregateRecord]) -> Alert | None:
        stuck = _total(rows)
        if not stuck:
            return None
        where = "in queues" if self.queue_name == ANY else f"in queue {self.queue_name}"
        metadata = {
            "queue_name": self.queue_name,
            "stuck_workflow_count": str(stuck),
            "threshold_secs": str(self.threshold_secs),
        }
        return Alert("SlowQueue", f"{stuck} workflows wait {where} for over {self.threshold_secs} seconds", metadata)


class UnresponsiveApplication(Condition, frozen=True, kw_only=True):
    """No executor of the application is connected."""

    def judge(self, application: str, connected: int) -> Alert | None:
        if connected:
            return None
        metadata = {"application_name": application, "connected_executor_count": "0"}
        return Alert("UnresponsiveApplication", f"No executor of {application} is connected", metadata)


class ExecutorNotRecovered(Condition, frozen=True, kw_only=True):
    """A DEAD executor's recovery waits, because no peer takes it (REC-27)."""

    def judge(self, application: str, waiting: Iterable[tuple[str, str]]) -> Alert | None:
        """``waiting``: executor ids and reasons."""
        found = sorted(waiting)
        if not found:
            return None
        metadata = {
            "application_name": application,
            "executor_ids": ",".join(executor_id for executor_id, _ in found),
            "unrecovered_executor_count": str(len(found)),
            "reason": found[0][1],
        }
        return Alert("ExecutorNotRecovered", f"{len(found)} executors of {application} are not recovered", metadata)


class MetricThreshold(Condition, frozen=True, kw_only=True):
    """A metric of the last complete period is at or above ``threshold`` (protocol page: its example of an alert)."""

    metric_name: Annotated[str, Meta(min_length=1)]
    threshold: Finite
    metric_type: str | UnsetType = msgspec.UNSET

    def judge(self, points: Iterable[MetricPoint]) -> Alert | None:
        values = [
            point.value
            for point in points
            if self.metric_name == point.name and self.metric_type in (msgspec.UNSET, point.type)
        ]
        if not values or max(values) < self.threshold:
            return None
        value, threshold = str(max(values)), f"{self.threshold:g}"
        metadata = {"metric_name": self.metric_name, "value": value, "threshold": threshold}
        return Alert("MetricThreshold", f"{self.metric_name} is {value}, threshold {threshold}", metadata)


_KINDS: dict[str, type[Condition]] = {
    kind.__name__: kind
    for kind in (WorkflowFailure, SlowQueue, UnresponsiveApplication, ExecutorNotRecovered, MetricThreshold)
}


def condition_of(rule: RuleRecord) -> Condition:
    """Raises InvalidMetadata. Numbers may be text, as they are in delivered metadata."""
    kind = _KINDS[rule.type]
    try:
        return msgspec.convert({} if rule.metadata is None else rule.metadata, kind, strict=False)
    except msgspec.ValidationError as error:
        allowed = ", ".join(kind.__struct_encode_fields__) or "no keys at all"
        raise InvalidMetadata(f"{error}; {rule.type} takes {allowed}") from error


def _total(rows: Iterable[WorkflowAggregateRecord]) -> int:
    return sum(row.count for row in rows if isinstance(row.count, int))


def _before(now_ms: int, seconds: int) -> str:
    return portable(datetime.fromtimestamp(now_ms / 1000, UTC) - timedelta(seconds=seconds))
