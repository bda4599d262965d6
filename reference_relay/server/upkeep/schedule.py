"""When the upkeep is done: three periodic tasks, none of which can end another."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from reference_relay.errors import StoreUnavailable
from reference_relay.server.context import Context
from reference_relay.server.hub import wall_ms
from reference_relay.server.upkeep.alerts import Alerts
from reference_relay.server.upkeep.collection import Collection
from reference_relay.server.upkeep.retention import Retention

__all__ = ["Schedule"]

RETENTION_LOOK_S = 1.0  # how soon a change of the settings is seen

log = structlog.get_logger("reference_relay")


class Schedule:
    """Start it inside the running loop."""

    def __init__(self, context: Context) -> None:
        self._upkeep = context.config.upkeep
        self.alerts = Alerts(context)
        self.collection = Collection(context)
        self.retention = Retention(context)
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        jobs: list[tuple[float, Callable[[], Awaitable[None]]]] = [
            (self._upkeep.alert_period_s, self.alerts.evaluate),
            (self._upkeep.metrics_period_s, lambda: self.collection.collect(wall_ms())),
            (min(RETENTION_LOOK_S, self._upkeep.retention_period_s), lambda: self.retention.look(wall_ms())),
        ]
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(_every(period_s, job)) for period_s, job in jobs]

    def stop(self) -> None:
        self.alerts.stop()
        for task in self._tasks:
            task.cancel()


async def _every(period_s: float, job: Callable[[], Awaitable[None]]) -> None:
    """The first time after one period; a job that takes longer than a period skips what it missed."""
    loop = asyncio.get_running_loop()
    due_s = loop.time()
    while True:
        due_s = max(due_s + period_s, loop.time())
        await asyncio.sleep(due_s - loop.time())
        try:
            await job()
        except StoreUnavailable:
            continue  # the hub has said so; the next time will tell
        except Exception:  # upkeep must outlive a defect of one look, as the API does
            log.exception("upkeep failed")
