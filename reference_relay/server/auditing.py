"""Entries of the audit log that the relay makes by itself, and the last look at any entry before it is kept."""

from __future__ import annotations

import uuid

from msgspec.structs import replace

from reference_relay.core.effects import Audit
from reference_relay.core.records import Application
from reference_relay.server.logs import Redactor
from reference_relay.store import AuditEntry

__all__ = ["automatic_entry", "without_keys"]


def automatic_entry(effect: Audit, application: Application | None, now_ms: int) -> AuditEntry:
    """What the core did of its own accord. Of the two subject types of the API document "user" is the one that is no
    key."""
    return AuditEntry(
        id=str(uuid.uuid4()),
        org=effect.org,
        emit_ms=now_ms,
        operation=effect.operation,
        success=effect.success,
        subject_type="user",
        subject_id="relay",
        subject_display="relay",
        target_type="application",
        target_id=application.app_id if application else effect.application,
        source_ip="",
        application=effect.application,
        details={"application_name": effect.application, **effect.details},
    )


def without_keys(entry: AuditEntry, redactor: Redactor) -> AuditEntry:
    """Whoever pasted a key in a name's place: the audit log is for ever."""
    names = redactor.names
    return replace(
        entry,
        target_id=names(entry.target_id),
        application=names(entry.application),
        details=names(entry.details),
    )
