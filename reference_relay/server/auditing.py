"""Entries of the audit log that the relay makes by itself, and the last look at any entry before it is kept."""

from __future__ import annotations

import uuid
from typing import Any

from msgspec.structs import replace

from reference_relay.core.effects import Audit
from reference_relay.core.records import AppKey, Application
from reference_relay.server.logs import Redactor
from reference_relay.store import AuditEntry, RuleRecord

__all__ = ["alert_entry", "automatic_entry", "without_keys"]


def automatic_entry(effect: Audit, application: Application | None, now_ms: int) -> AuditEntry:
    """What the core did of its own accord."""
    target = ("application", application.app_id if application else effect.application)
    key = AppKey(effect.org, effect.application)
    return _own_entry(key, effect.operation, effect.success, target, effect.details, now_ms)


def alert_entry(rule: RuleRecord, success: bool, details: dict[str, Any], now_ms: int) -> AuditEntry:
    """One attempt to deliver the alert of a rule that fired."""
    return _own_entry(rule.application, "alerting_rule.fire", success, ("alerting_rule", rule.id), details, now_ms)


def _own_entry(
    key: AppKey, operation: str, success: bool, target: tuple[str, str], details: dict[str, Any], now_ms: int
) -> AuditEntry:
    """Of the two subject types of the API document "user" is the one that is no key."""
    return AuditEntry(
        id=str(uuid.uuid4()),
        org=key.org,
        emit_ms=now_ms,
        operation=operation,
        success=success,
        subject_type="user",
        subject_id="relay",
        subject_display="relay",
        target_type=target[0],
        target_id=target[1],
        source_ip="",
        application=key.app,
        details={"application_name": key.app, **details},
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
