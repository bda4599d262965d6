"""A store that keeps nothing across restarts: for `--data :memory:`, the simulator and tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reference_relay.core.records import AppKey
from reference_relay.store import (
    AuditEntry,
    AuditQuery,
    AuditRow,
    Clock,
    DropMetrics,
    ForgetApplication,
    KeyRecord,
    MarkPatched,
    MetricPoint,
    PolicyRecord,
    RuleRecord,
    SaveKey,
    SavePolicy,
    SaveRecord,
    SaveRule,
    Stored,
    Write,
)


class MemoryStore:
    """The `Store` Protocol on dictionaries. Survives a `load` after `close`, so a test can restart a relay on it."""

    def __init__(self) -> None:
        self._tables: dict[str, dict[Any, Any]] = {"applications": {}, "executors": {}, "remembered": {}}
        self._keys: dict[tuple[str, str], KeyRecord] = {}
        self._patched: dict[AppKey, frozenset[str]] = {}
        self._rules: dict[tuple[AppKey, str], RuleRecord] = {}
        self._policies: dict[AppKey, PolicyRecord] = {}
        self._metrics: dict[tuple[AppKey, int, str, str], MetricPoint] = {}
        self._audit: list[AuditRow] = []
        self._clock_ns = 0

    def load(self) -> Stored:
        rows = {table: tuple(records.values()) for table, records in self._tables.items()}
        return Stored(**rows, clock_ns=self._clock_ns)

    def keys(self) -> list[KeyRecord]:
        return list(self._keys.values())

    def rules(self) -> list[RuleRecord]:
        return list(self._rules.values())

    def policies(self) -> list[PolicyRecord]:
        return list(self._policies.values())

    def metrics(self, application: AppKey, start_ms: int, end_ms: int) -> list[MetricPoint]:
        found = [p for p in self._metrics.values() if p.application == application and start_ms <= p.bucket_ms < end_ms]
        return sorted(found, key=lambda point: (point.bucket_ms, point.type, point.name))

    def patched(self) -> dict[AppKey, frozenset[str]]:
        return dict(self._patched)

    def commit(self, writes: Sequence[Write]) -> None:
        for write in writes:
            match write:
                case SaveRecord(table, key, None):
                    self._tables[table].pop(key, None)
                    if isinstance(key, AppKey):
                        self._patched.pop(key, None)
                case SaveRecord(table, key, record):
                    self._tables[table][key] = record
                case MarkPatched(application, fields):
                    self._patched[application] = self._patched.get(application, frozenset()) | frozenset(fields)
                case SaveKey(org, name, None):
                    self._keys.pop((org, name), None)
                case SaveKey(org, name, KeyRecord() as record):
                    self._keys[org, name] = record
                case SaveRule(application, rule_id, None):
                    self._rules.pop((application, rule_id), None)
                case SaveRule(application, rule_id, RuleRecord() as rule):
                    self._rules[application, rule_id] = rule
                case SavePolicy(application, None):
                    self._policies.pop(application, None)
                case SavePolicy(application, PolicyRecord() as policy):
                    self._policies[application] = policy
                case MetricPoint():
                    self._metrics[write.application, write.bucket_ms, write.type, write.name] = write
                case DropMetrics(before_ms):
                    self._metrics = {k: point for k, point in self._metrics.items() if point.bucket_ms >= before_ms}
                case ForgetApplication(application):
                    self._forget(application)
                case AuditEntry():
                    self._audit.append(AuditRow(len(self._audit) + 1, write))
                case Clock(now_ns):
                    self._clock_ns = now_ns

    def _forget(self, application: AppKey) -> None:
        self._rules = {key: rule for key, rule in self._rules.items() if key[0] != application}
        self._metrics = {key: point for key, point in self._metrics.items() if key[0] != application}
        self._policies.pop(application, None)

    def audit(self, org: str, query: AuditQuery) -> list[AuditRow]:
        rows = [row for row in self._audit if row.entry.org == org and _matches(row.entry, query)]
        rows.sort(key=lambda row: (row.entry.emit_ms, row.seq), reverse=True)
        return rows[query.offset : query.offset + query.limit]

    def close(self) -> None:
        """Nothing to release."""


def _matches(entry: AuditEntry, query: AuditQuery) -> bool:
    return (
        (query.start_ms is None or entry.emit_ms >= query.start_ms)
        and (query.end_ms is None or entry.emit_ms < query.end_ms)
        and query.operation in (None, entry.operation)
        and query.subject in (None, entry.subject_id, entry.subject_display)
        and query.target in (None, entry.target_id)
        and query.application in (None, entry.application)
    )
