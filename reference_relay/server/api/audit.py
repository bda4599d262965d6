"""The audit log, served in every authentication mode (the public server has it with user accounts only)."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from msgspec import UNSET, Meta

from reference_relay.server.api.answers import AuditLogEntry, AuditSubject, AuditTarget
from reference_relay.server.api.operation import ApiRequest, operation
from reference_relay.server.api.shapes import Query
from reference_relay.server.api.times import DateTime, epoch_ms, rfc3339
from reference_relay.store import AuditEntry, AuditQuery


class AuditLogsQuery(Query, frozen=True, kw_only=True):
    start_time: DateTime | None = None
    end_time: DateTime | None = None
    operation: str | None = None
    subject: str | None = None
    target: str | None = None
    limit: Annotated[int, Meta(ge=1, le=1000, extra_json_schema={"format": "int64"})] = 100
    offset: Annotated[int, Meta(ge=0, le=2**53, extra_json_schema={"format": "int64"})] = 0


@operation("GET", "O/audit-logs", "organization.read", answer=list[AuditLogEntry], query=AuditLogsQuery)
async def list_audit_logs(request: ApiRequest) -> list[AuditLogEntry]:
    """Read the audit log, newest first. Among entries of one millisecond the later commit comes first."""
    await request.hub.settled()
    given: AuditLogsQuery = request.query
    query = AuditQuery(
        start_ms=epoch_ms(given.start_time) if given.start_time else None,
        end_ms=epoch_ms(given.end_time) if given.end_time else None,
        operation=given.operation,
        subject=given.subject,
        target=given.target,
        limit=given.limit,
        offset=given.offset,
    )
    # A long log must not stop the loop, which has executors to ping.
    rows = await asyncio.to_thread(request.hub.store.audit, request.org, query)
    return [view(row.entry) for row in rows]


def view(entry: AuditEntry) -> AuditLogEntry:
    kind: Any = entry.subject_type
    target: Any = entry.target_type
    return AuditLogEntry(
        id=entry.id,
        emit_time=rfc3339(entry.emit_ms),
        operation=entry.operation,
        status="success" if entry.success else "failure",
        subject=AuditSubject(type=kind, id=entry.subject_id, display=entry.subject_display),
        target=AuditTarget(type=target, id=entry.target_id or "") if target else UNSET,
        source_ip=entry.source_ip,
        details=entry.details,
    )
