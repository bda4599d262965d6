"""Turns retention settings into `retention` requests to an executor, which does the work on its own database."""

from __future__ import annotations

import time

import structlog

from conductor.messages import RetentionResponse
from reference_relay.core.records import AppKey, Settings
from reference_relay.server.api.asking import ask
from reference_relay.server.api.problems import Problem
from reference_relay.server.context import Context

__all__ = ["Retention", "body_of"]

Wanted = tuple[int | None, int | None, int | None]

log = structlog.get_logger("reference_relay")


def body_of(settings: Settings, now_ms: int, batch_size: int) -> dict[str, int | None] | None:
    """The body of a request, all four keys of it; None where nothing is to be done. Times are epoch milliseconds."""
    if not any(_wanted(settings)):
        return None
    gc_ms, timeout_ms = settings.gc_time_threshold_ms, settings.global_timeout_ms
    return {
        "gc_cutoff_epoch_ms": None if not gc_ms else max(0, now_ms - gc_ms),
        "gc_rows_threshold": settings.gc_rows_threshold or None,
        "gc_batch_size": batch_size,
        "timeout_cutoff_epoch_ms": None if not timeout_ms else max(0, now_ms - timeout_ms),
    }


class Retention:
    """`look` asks where it is time: after a change of the settings at once, then each period."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._asked: dict[AppKey, tuple[Wanted, float]] = {}  # settings and when, by the monotonic clock

    async def look(self, now_ms: int) -> None:
        applications = self._context.hub.core.applications
        self._asked = {app: asked for app, asked in self._asked.items() if app in applications}
        upkeep = self._context.config.upkeep
        for app in self._due(time.monotonic() - upkeep.retention_period_s):
            body = body_of(applications[app].settings, now_ms, upkeep.gc_batch_size)
            if body is None:
                continue
            self._asked[app] = (_wanted(applications[app].settings), time.monotonic())
            try:
                await ask(self._context.hub, app, RetentionResponse, {"body": body})
            except Problem as problem:
                log.warning("retention failed", application=app.app, problem=problem.detail)

    def _due(self, before_s: float) -> list[AppKey]:
        """Applications whose last request was before that time, or for other settings."""
        core = self._context.hub.core
        due = []
        for app in sorted(core.ready):
            wanted = _wanted(core.applications[app].settings)
            asked = self._asked.get(app)
            if any(wanted) and (asked is None or asked[0] != wanted or asked[1] <= before_s):
                due.append(app)
        return due


def _wanted(settings: Settings) -> Wanted:
    return settings.gc_rows_threshold, settings.gc_time_threshold_ms, settings.global_timeout_ms
