"""What the status page shows, in one answer."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Literal

from reference_relay.core.records import AppKey
from reference_relay.core.records import Executor as Record
from reference_relay.core.records import Status as State
from reference_relay.server.api.answers import AuditLogEntry
from reference_relay.server.api.audit import view as audit_view
from reference_relay.server.api.operation import ApiRequest, operation
from reference_relay.server.api.shapes import Answer, Int64, Moment
from reference_relay.server.api.times import rfc3339
from reference_relay.server.hub import wall_ms
from reference_relay.store import AuditQuery

SHOWN = 100  # executors of one application, those in trouble first
ENTRIES = 20


class StatusRecovery(Answer, frozen=True, kw_only=True):
    phase: str
    peer: str | None
    attempts: Int64
    surfaced: str | None


class StatusExecutor(Answer, frozen=True, kw_only=True):
    """``age_secs``: how long it has had its status."""

    executor_id: str
    status: Literal["HEALTHY", "DISCONNECTED", "DEAD"]
    app_version: str
    language: str | None
    hostname: str | None
    age_secs: Int64
    recovery: StatusRecovery | None


class StatusApplication(Answer, frozen=True, kw_only=True):
    name: str
    healthy: Int64
    disconnected: Int64
    dead: Int64
    executors: list[StatusExecutor]


class Status(Answer, frozen=True, kw_only=True):
    observed_at: Moment
    applications: list[StatusApplication]
    audit: list[AuditLogEntry]


@operation("GET", "O/status", "application.read", answer=Status, for_scoped=True, extension=True)
async def get_status(request: ApiRequest) -> Status:
    """Read what the status page shows. The audit entries are there for keys that may read the audit log."""
    await request.hub.settled()
    now_ms = wall_ms()
    known = request.context.hub.core.applications
    apps = sorted(key for key in known if key.org == request.org and request.subject.reaches(key.app))
    audit: list[AuditLogEntry] = []
    if request.subject.may("organization.read") and request.subject.reaches(None):
        rows = await asyncio.to_thread(request.hub.store.audit, request.org, AuditQuery(limit=ENTRIES))
        audit = [audit_view(row.entry) for row in rows]
    return Status(
        observed_at=rfc3339(now_ms),
        applications=[_application(request, app, now_ms) for app in apps],
        audit=audit,
    )


def _application(request: ApiRequest, app: AppKey, now_ms: int) -> StatusApplication:
    executors = request.context.hub.core.executors_of(app)
    counts = Counter(executor.status for executor in executors)
    executors.sort(key=lambda executor: executor.status is State.HEALTHY)
    return StatusApplication(
        name=app.app,
        healthy=counts[State.HEALTHY],
        disconnected=counts[State.DISCONNECTED],
        dead=counts[State.DEAD],
        executors=[_executor(executor, now_ms) for executor in executors[:SHOWN]],
    )


def _executor(executor: Record, now_ms: int) -> StatusExecutor:
    recovery = executor.recovery
    return StatusExecutor(
        executor_id=executor.key.executor_id,
        status=executor.status.value,
        app_version=executor.info.application_version,
        language=executor.info.language,
        hostname=executor.info.hostname,
        age_secs=max(0, now_ms - executor.updated_ms) // 1000,
        recovery=None
        if recovery is None
        else StatusRecovery(
            phase=recovery.phase.value,
            peer=recovery.peer,
            attempts=recovery.attempt,
            surfaced=recovery.surfaced,
        ),
    )
