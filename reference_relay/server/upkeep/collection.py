"""Collects metrics: after each period one executor of every application is asked for the counts of that period.

Periods are multiples of their length since the epoch: an instance that goes on for another, or after a start, names
the same ones, and counting one again replaces it. A period that nobody answered for is asked for again after the next.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import structlog

from conductor.messages import GetMetricsResponse
from reference_relay.core.records import AppKey
from reference_relay.server.api.asking import ask
from reference_relay.server.api.problems import Problem
from reference_relay.server.api.times import portable
from reference_relay.server.context import Context
from reference_relay.store import DropMetrics, MetricPoint

__all__ = ["Collection"]

CLASS = "workflow_step_count"  # the only one that the SDKs know (measured)
AT_ONCE = 8
OWED = 12  # periods; an application that was away for longer has the older ones left out
NO_COUNT = 2**63  # a store that is given as much fails for good

log = structlog.get_logger("reference_relay")


class Collection:
    """`collect` is what is owed to all applications that have a healthy executor."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._period_ms = round(context.config.upkeep.metrics_period_s * 1000)
        self._counted_to_ms: dict[AppKey, int] = {}

    def due_s(self, now_ms: int) -> float:
        """Seconds from ``now_ms`` (epoch milliseconds) to the end of the period that it is in."""
        return (self._period_ms - now_ms % self._period_ms) / 1000

    async def collect(self, now_ms: int) -> None:
        """Counts of the periods that ended by ``now_ms`` (epoch milliseconds) and aren't counted."""
        core = self._context.hub.core
        end_ms = now_ms - now_ms % self._period_ms
        self._counted_to_ms = {
            app: max(self._counted_to_ms.get(app, end_ms - self._period_ms), end_ms - OWED * self._period_ms)
            for app in core.applications
        }
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(app: AppKey) -> None:
            async with gate:
                for start_ms in range(self._counted_to_ms[app], end_ms, self._period_ms):
                    if not await self._ask(app, start_ms, start_ms + self._period_ms):
                        return
                    self._counted_to_ms[app] = start_ms + self._period_ms

        async with asyncio.TaskGroup() as group:
            for app in sorted(core.ready):
                group.create_task(one(app))
        keep_ms = round(self._context.config.upkeep.metrics_keep_s * 1000)
        await self._context.hub.commit([DropMetrics(now_ms - keep_ms)])

    async def _ask(self, app: AppKey, start_ms: int, end_ms: int) -> bool:
        """Whether the period is done with: counted, or beyond counting."""
        fields: dict[str, object] = {"start_time": _time(start_ms), "end_time": _time(end_ms), "metric_class": CLASS}
        try:
            response = await ask(self._context.hub, app, GetMetricsResponse, fields)
        except Problem as problem:
            log.info("metrics can't be collected", application=app.app, problem=problem.detail)
            return False
        if app not in self._context.hub.core.applications:
            return False  # deleted meanwhile
        points = [
            MetricPoint(
                application=app,
                type=row.metric_type,
                name=row.metric_name,
                granularity_s=round((end_ms - start_ms) / 1000),
                bucket_ms=start_ms,
                value=round(row.value),
            )
            for row in response.metrics or ()
        ]
        if any(abs(point.value) >= NO_COUNT for point in points):
            log.info("metrics can't be collected", application=app.app, problem="a value of more than 64 bits")
            return True
        await self._context.hub.commit(points)
        return True


def _time(epoch_ms: int) -> str:
    return portable(datetime.fromtimestamp(epoch_ms / 1000, UTC))
