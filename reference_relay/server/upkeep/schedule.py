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
        look_s = min(RETENTION_LOOK_S, self._upkeep.retention_period_s)
        jobs: list[tuple[Due, Callable[[], Awaitable[None]]]] = [
            (_every(self._upkeep.alert_period_s), self.alerts.evaluate),
            (lambda: self.collection.due_s(wall_ms()), lambda: self.collection.collect(wall_ms())),
            (_every(look_s), lambda: self.retention.look(wall_ms())),
        ]
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(_whenever(due, job)) for due, job in jobs]

    def stop(self) -> None:
        self.alerts.stop()
        for task in self._tasks:
            task.cancel()


Due = Callable[[], float]  # seconds from now to the next time


def _every(period_s: float) -> Due:
    """The first time after one period; a job that takes longer than a period skips what it missed."""
    clock = asyncio.get_running_loop().time
    due_s = clock()

    def wait_s() -> float:
        nonlocal due_s
        due_s = max(due_s + period_s, clock())
        return due_s - clock()

    return wait_s


async def _whenever(due: Due, job: Callable[[], Awaitable[None]]) -> None:
    while True:
        await asyncio.sleep(due())
        try:
            await job()
        except StoreUnavailable:
            continue  # the hub has said so; the next time will tell
        except Exception:  # upkeep must outlive a defect of one look, as the API does
            log.exception("upkeep failed")
