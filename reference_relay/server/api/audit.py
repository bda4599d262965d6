"""The audit log, served in every authentication mode (the public server has it with user accounts only)."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from msgspec import Meta

from reference_relay.server.api.operation import ApiRequest, Query, operation
from reference_relay.server.api.times import DateTime, epoch_ms, rfc3339
from reference_relay.store import AuditEntry, AuditQuery


class AuditFilters(Query, frozen=True, kw_only=True):
    start_time: DateTime | None = None
    end_time: DateTime | None = None
    operation: str | None = None
    subject: str | None = None
    target: str | None = None
    limit: Annotated[int, Meta(ge=1, le=1000)] = 100
    offset: Annotated[int, Meta(ge=0, le=2**53)] = 0


@operation("GET", "O/audit-logs", "organization.read", query=AuditFilters)
async def list_audit_logs(request: ApiRequest) -> list[dict[str, Any]]:
    """Newest first, among entries of one millisecond the later commit first."""
    await request.hub.settled()
    given: AuditFilters = request.query
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
    return [_view(row.entry) for row in rows]


def _view(entry: AuditEntry) -> dict[str, Any]:
    target = {"target": {"type": entry.target_type, "id": entry.target_id}} if entry.target_type else {}
    return {
        "id": entry.id,
        "emitTime": rfc3339(entry.emit_ms),
        "operation": entry.operation,
        "status": "success" if entry.success else "failure",
        "subject": {"type": entry.subject_type, "id": entry.subject_id, "display": entry.subject_display},
        **target,
        "sourceIp": entry.source_ip,
        "details": entry.details,
    }
