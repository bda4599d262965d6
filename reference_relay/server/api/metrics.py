"""Metrics: recoveries from the audit log over REST, and the OpenMetrics exposition."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from reference_relay.core.records import AppKey
from reference_relay.server.api.answers import Metric
from reference_relay.server.api.operation import ApiRequest, operation
from reference_relay.server.api.shapes import Query
from reference_relay.server.api.times import DateTime, epoch_ms, rfc3339
from reference_relay.server.context import Context
from reference_relay.server.gate import Subject
from reference_relay.server.hub import wall_ms
from reference_relay.store import AuditEntry, AuditQuery, MetricPoint, Store

CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
BUCKET_S = 60
PAGE = 1000
COUNTING_MS = 5000  # what executors may take to count a period after its end


class MetricsQuery(Query, frozen=True, kw_only=True):
    start_time: DateTime
    end_time: DateTime


@operation("GET", "A/metrics", "metric.read", answer=list[Metric], query=MetricsQuery)
async def list_metrics(request: ApiRequest) -> list[Metric]:
    """Read metrics of a span of time. `recovery_count`: recoveries that a peer confirmed, by minute."""
    await request.hub.settled()
    start_ms, end_ms = epoch_ms(request.query.start_time), epoch_ms(request.query.end_time)
    app_id = request.application.app_id
    return [
        Metric(
            app_id=app_id,
            metric_type=point.type,
            metric_name=point.name,
            granularity=point.granularity_s,
            time_bucket=rfc3339(point.bucket_ms),
            value=point.value,
        )
        for point in await points_of(request.context, request.app, start_ms, end_ms)
    ]


async def points_of(context: Context, app: AppKey, start_ms: int, end_ms: int) -> list[MetricPoint]:
    """What executors counted and what was recovered, of buckets within the span (epoch ms), by time."""
    return await asyncio.to_thread(_points, context.hub.store, app, start_ms, end_ms)


def last_period(context: Context, now_ms: int) -> tuple[int, int]:
    """The span (epoch ms) in which the last period that is counted begins; the one before it until that is so."""
    period_ms = round(context.config.upkeep.metrics_period_s * 1000)
    return now_ms - 2 * period_ms - min(COUNTING_MS, period_ms), now_ms


def _points(store: Store, app: AppKey, start_ms: int, end_ms: int) -> list[MetricPoint]:
    query = AuditQuery(start_ms=start_ms, end_ms=end_ms, operation="executor.recover", application=app.app, limit=PAGE)
    buckets = Counter(e.emit_ms // (BUCKET_S * 1000) for e in _all(store, app.org, query) if e.success)
    recoveries = [
        MetricPoint(
            application=app,
            type="recovery_count",
            name="recovery",
            granularity_s=BUCKET_S,
            bucket_ms=bucket * BUCKET_S * 1000,
            value=count,
        )
        for bucket, count in buckets.items()
    ]
    found = [*recoveries, *store.metrics(app, start_ms, end_ms)]
    return sorted(found, key=lambda point: (point.bucket_ms, point.type, point.name))


def _all(store: Store, org: str, query: AuditQuery) -> list[AuditEntry]:
    """Every matching entry. Paging runs from the newest, so entries that are added meanwhile lie outside ``end_ms``."""
    found: list[AuditEntry] = []
    while True:
        page = store.audit(org, AuditQuery(**{**_fields(query), "offset": len(found)}))
        found += [row.entry for row in page]
        if len(page) < query.limit:
            return found


def _fields(query: AuditQuery) -> dict[str, Any]:
    return {name: getattr(query, name) for name in query.__struct_fields__}


class Filters(NamedTuple):
    """Of the exposition; empty ones filter nothing."""

    applications: Sequence[str] = ()
    workflows: Sequence[str] = ()
    metrics: Sequence[str] = ()


async def exposition(context: Context, subject: Subject, filters: Filters) -> str:
    """What the key may see, as OpenMetrics text."""
    core, wanted = context.hub.core, filters.applications
    reached = (key for key in core.applications if key.org == subject.org and subject.reaches(key.app))
    apps = sorted(key for key in reached if not wanted or key.app in wanted)
    counts = await _counts(context, apps)
    families = {
        "relayproof_workflow_count": ("gauge", "", _counted(counts, "workflow", filters.workflows)),
        "relayproof_step_count": ("gauge", "", _counted(counts, "step")),
        "dbos_conductor_v1_executor_count": ("gauge", "", _executor_counts(context, apps)),
        "relayproof_recoveries": ("counter", "_total", _recoveries(context, apps)),
        "relayproof_surfaced_recoveries": (
            "gauge",
            "",
            [({"application": key.app}, len(core.surfaced(key))) for key in apps],
        ),
    }
    lines = []
    for name, (kind, suffix, samples) in families.items():
        if filters.metrics and not {name, name.removeprefix("dbos_conductor_v1_")} & {*filters.metrics}:
            continue
        lines.append(f"# TYPE {name} {kind}")
        lines += [f"{name}{suffix}{_labels(labels)} {value}" for labels, value in samples]
    return "\n".join([*lines, "# EOF", ""])


async def _counts(context: Context, apps: Iterable[AppKey]) -> list[MetricPoint]:
    """What was counted in the last period that is complete."""
    start_ms, end_ms = last_period(context, wall_ms())
    newest: dict[tuple[AppKey, str, str], MetricPoint] = {}
    for app in apps:
        for point in await asyncio.to_thread(context.hub.store.metrics, app, start_ms, end_ms):
            newest[app, point.type, point.name] = point
    return list(newest.values())


def _counted(points: Iterable[MetricPoint], kind: str, names: Sequence[str] = ()) -> Samples:
    return [
        ({"application": point.application.app, f"{kind}_name": point.name}, point.value)
        for point in points
        if point.type == f"{kind}_count" and (not names or point.name in names)
    ]


Samples = list[tuple[dict[str, str], int]]


def _executor_counts(context: Context, apps: Iterable[AppKey]) -> Samples:
    counts: Counter[tuple[str, str, str]] = Counter()
    for key in apps:
        for executor in context.hub.core.executors_of(key):
            counts[key.app, executor.status.value, executor.info.application_version] += 1
    return [
        ({"application": app, "status": status, "application_version": version}, count)
        for (app, status, version), count in sorted(counts.items())
    ]


def _recoveries(context: Context, apps: Iterable[AppKey]) -> Samples:
    return [
        ({"application": key.app, "result": result}, context.hub.recoveries[key, result])
        for key in apps
        for result in ("success", "failure")
    ]


def _labels(labels: dict[str, str]) -> str:
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
