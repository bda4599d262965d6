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
    KeyRecord,
    MarkPatched,
    SaveKey,
    SaveRecord,
    Stored,
    Write,
)


class MemoryStore:
    """The `Store` Protocol on dictionaries. Survives a `load` after `close`, so a test can restart a relay on it."""

    def __init__(self) -> None:
        self._tables: dict[str, dict[Any, Any]] = {"applications": {}, "executors": {}, "remembered": {}}
        self._keys: dict[tuple[str, str], KeyRecord] = {}
        self._patched: dict[AppKey, frozenset[str]] = {}
        self._audit: list[AuditRow] = []
        self._clock_ns = 0

    def load(self) -> Stored:
        rows = {table: tuple(records.values()) for table, records in self._tables.items()}
        return Stored(**rows, clock_ns=self._clock_ns)

    def keys(self) -> list[KeyRecord]:
        return list(self._keys.values())

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
                case AuditEntry():
                    self._audit.append(AuditRow(len(self._audit) + 1, write))
                case Clock(now_ns):
                    self._clock_ns = now_ns

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
