"""Watches the alerting rules and delivers what they have to say.

A rule without a minimum interval speaks once when its condition sets in, and again when it sets in anew; with one it
speaks while the condition stands, that often at most. The time of firing is durable before the alert leaves.
"""

from __future__ import annotations

import asyncio
import time

import structlog
from msgspec.structs import replace

from conductor.messages import AlertResponse, GetWorkflowAggregatesResponse
from reference_relay.core.records import AppKey
from reference_relay.errors import StoreUnavailable
from reference_relay.server.api.asking import ask
from reference_relay.server.api.metrics import last_period, points_of
from reference_relay.server.api.problems import Problem
from reference_relay.server.auditing import alert_entry
from reference_relay.server.context import Context
from reference_relay.server.hub import wall_ms
from reference_relay.server.upkeep.conditions import (
    Alert,
    Condition,
    ExecutorNotRecovered,
    MetricThreshold,
    SlowQueue,
    UnresponsiveApplication,
    WorkflowFailure,
    condition_of,
)
from reference_relay.store import RuleRecord, SaveRule

__all__ = ["Alerts", "is_due"]

ATTEMPTS = 5
AT_ONCE = 8  # rules that are looked at together: an executor that is silent must not hold up all others

log = structlog.get_logger("reference_relay")


def is_due(rule: RuleRecord, *, stood: bool, now_ms: int) -> bool:
    """Whether a rule whose condition holds speaks now; ``stood``: it held at the look before."""
    if rule.min_interval_s is None:
        return not stood
    return rule.last_fired_ms is None or now_ms - rule.last_fired_ms >= rule.min_interval_s * 1000


class Alerts:
    """`evaluate` is one look at all rules; deliveries go on by themselves until `stop`."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._since_s = time.monotonic()
        self._standing: set[str] = set()  # ids of rules whose condition held at the last look
        self._deliveries: set[asyncio.Task[None]] = set()

    async def evaluate(self) -> None:
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(rule: RuleRecord) -> None:
            async with gate:
                await self._look(rule)

        rules = self._context.rules.all()
        self._standing &= {rule.id for rule in rules}
        async with asyncio.TaskGroup() as group:
            for rule in rules:
                group.create_task(one(rule))

    def stop(self) -> None:
        for delivery in self._deliveries:
            delivery.cancel()

    async def _look(self, rule: RuleRecord) -> None:
        now_ms = wall_ms()
        if self._context.rules.get(rule.application, rule.id) is None:
            return  # deleted while others were looked at
        try:
            alert = await self.judge(rule, condition_of(rule), now_ms)
        except Problem as problem:
            log.info("an alerting rule can't be looked at", rule=rule.id, type=rule.type, problem=problem.detail)
            return
        if alert is None:
            self._standing.discard(rule.id)
            return
        due = is_due(rule, stood=rule.id in self._standing, now_ms=now_ms)
        self._standing.add(rule.id)
        if due and self._context.rules.get(rule.application, rule.id) == rule:
            await self._fire(replace(rule, last_fired_ms=now_ms), alert)

    async def judge(self, rule: RuleRecord, condition: Condition, now_ms: int) -> Alert | None:
        """The alert that the condition is worth now. Raises Problem 502 or 503."""
        hub, app = self._context.hub, rule.application
        match condition:
            case WorkflowFailure() | SlowQueue():
                question: dict[str, object] = {"body": condition.question(now_ms)}
                answer = await ask(hub, app, GetWorkflowAggregatesResponse, question)
                return condition.judge(answer.output or ())
            case UnresponsiveApplication() if not self._had_time_to_dial(app):
                return None
            case UnresponsiveApplication():
                return condition.judge(app.app, len(hub.core.ready.get(app, ())))
            case ExecutorNotRecovered():
                waiting = [(e.key.executor_id, e.recovery.surfaced or "") for e in hub.core.surfaced(app) if e.recovery]
                return condition.judge(app.app, waiting)
            case MetricThreshold():
                return condition.judge(await points_of(self._context, app, *last_period(self._context, now_ms)))
        raise AssertionError(f"an unknown condition: {condition}")

    def _had_time_to_dial(self, app: AppKey) -> bool:
        """After a start of the relay nobody is connected; executors get their grace period, as for recovery."""
        grace_s = self._context.hub.core.applications[app].settings.executor_timeout_s
        return time.monotonic() - self._since_s >= grace_s

    async def _fire(self, rule: RuleRecord, alert: Alert) -> None:
        self._context.rules.put(rule)
        await self._context.hub.commit([SaveRule(rule.application, rule.id, rule)])
        delivery = asyncio.get_running_loop().create_task(self._deliver(rule, alert))
        self._deliveries.add(delivery)
        delivery.add_done_callback(self._deliveries.discard)

    async def _deliver(self, rule: RuleRecord, alert: Alert) -> None:
        """To one healthy executor of the receiver, tried again with growing pauses; each attempt is audited."""
        receiver = AppKey(rule.application.org, rule.receiver)
        pause_s = self._context.config.upkeep.alert_retry_s
        for attempt in range(1, ATTEMPTS + 1):
            fields: dict[str, object] = {"name": alert.name, "message": alert.message, "metadata": alert.metadata}
            error = ""
            try:
                await ask(self._context.hub, receiver, AlertResponse, fields)
            except Problem as problem:
                error = problem.detail
            await self._audit(rule, alert, attempt, error)
            if not error:
                return
            await asyncio.sleep(pause_s)
            pause_s *= 2

    async def _audit(self, rule: RuleRecord, alert: Alert, attempt: int, error: str) -> None:
        details = {
            "rule_type": rule.type,
            "receiving_app_name": rule.receiver,
            "attempt": attempt,
            "metadata": alert.metadata,
            **({"error": error} if error else {}),
        }
        try:
            await self._context.hub.commit([alert_entry(rule, not error, details, wall_ms())])
        except StoreUnavailable:
            log.warning("an alert's delivery could not be audited", rule=rule.id)
