"""Collects metrics: each period one executor of every application is asked for the counts of that period."""

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
NO_COUNT = 2**63  # a store that is given as much fails for good

log = structlog.get_logger("reference_relay")


class Collection:
    """`collect` is one period for all applications that have a healthy executor."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def collect(self, end_ms: int) -> None:
        """Counts of the period that ends at ``end_ms`` (epoch milliseconds)."""
        upkeep = self._context.config.upkeep
        start_ms = end_ms - round(upkeep.metrics_period_s * 1000)
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(app: AppKey) -> None:
            async with gate:
                await self._ask(app, start_ms, end_ms)

        async with asyncio.TaskGroup() as group:
            for app in sorted(self._context.hub.core.ready):
                group.create_task(one(app))
        await self._context.hub.commit([DropMetrics(end_ms - round(upkeep.metrics_keep_s * 1000))])

    async def _ask(self, app: AppKey, start_ms: int, end_ms: int) -> None:
        fields: dict[str, object] = {"start_time": _time(start_ms), "end_time": _time(end_ms), "metric_class": CLASS}
        try:
            response = await ask(self._context.hub, app, GetMetricsResponse, fields)
        except Problem as problem:
            log.info("metrics can't be collected", application=app.app, problem=problem.detail)
            return
        if app not in self._context.hub.core.applications:
            return  # deleted meanwhile
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
            return
        await self._context.hub.commit(points)


def _time(epoch_ms: int) -> str:
    return portable(datetime.fromtimestamp(epoch_ms / 1000, UTC))
