"""Durability in virtual time: one writer with group commit in front of a store that outlives the relay's process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from reference_relay.core.effects import Audit, Save
from reference_relay.store import AuditEntry, Clock, SaveRecord, Store, Write
from simulator import clock as virtual

Batch = tuple[Sequence[Write], Callable[[], object]]


class Writer:
    """What comes in while a commit runs goes into the next one, in order.

    ``commit_ns`` draws how long one commit takes. A transaction is durable when its commit ends; a kill before that
    loses it whole.
    """

    def __init__(self, clock: virtual.Clock, store: Store, commit_ns: Callable[[], int]) -> None:
        self._clock = clock
        self._store = store
        self._commit_ns = commit_ns
        self._waiting: list[Batch] = []
        self._busy = False
        self._dead = False

    def submit(self, writes: Sequence[Write], done: Callable[[], object]) -> None:
        """Commit ``writes`` as one transaction, then call ``done``."""
        self._waiting.append((writes, done))
        if not self._busy:
            self._begin()

    def settled(self, done: Callable[[], object]) -> None:
        """Call ``done`` once everything submitted so far is durable."""
        if self._busy:
            self.submit((), done)
        else:
            done()

    def kill(self) -> None:
        """Nothing that is not durable by now ever will be."""
        self._dead = True

    def _begin(self) -> None:
        self._busy = True
        group, self._waiting = self._waiting, []
        self._clock.call(self._commit_ns(), self._end, group)

    def _end(self, group: list[Batch]) -> None:
        if self._dead:
            return
        self._store.commit([write for writes, _ in group for write in writes])
        for _, done in group:
            if not self._dead:  # one of them may have ended the process
                done()
        self._busy = False
        if self._waiting:
            self._begin()


def transaction(effects: Sequence[Save | Audit], now_ns: int, now_ms: int, next_id: Callable[[], str]) -> list[Write]:
    """The store's writes for the core's effects. ``now_ns`` is the core's clock, ``now_ms`` the wall clock."""
    writes: list[Write] = []
    for effect in effects:
        if isinstance(effect, Save):
            writes.append(SaveRecord(effect.table, effect.key, effect.record))
        else:
            writes.append(_audit_entry(effect, now_ms, next_id()))
    writes.append(Clock(now_ns))
    return writes


def _audit_entry(effect: Audit, now_ms: int, id: str) -> AuditEntry:
    return AuditEntry(
        id=id,
        org=effect.org,
        emit_ms=now_ms,
        operation=effect.operation,
        success=effect.success,
        subject_type="user",  # of the two that the API document has, the one that is no key
        subject_id="relay",
        subject_display="relay",
        target_type="application",
        target_id=effect.application,
        source_ip="",
        application=effect.application,
        details={"application_name": effect.application, **effect.details},
    )


def audit_json(entry: AuditEntry) -> dict[str, Any]:
    """An entry as the management API shows it (AuditLogEntry of the API document)."""
    shown: dict[str, Any] = {
        "id": entry.id,
        "emitTime": datetime.fromtimestamp(entry.emit_ms / 1000, UTC).isoformat(timespec="milliseconds"),
        "operation": entry.operation,
        "status": "success" if entry.success else "failure",
        "subject": {"type": entry.subject_type, "id": entry.subject_id, "display": entry.subject_display},
        "sourceIp": entry.source_ip,
        "details": entry.details,
    }
    if entry.target_type is not None:
        shown["target"] = {"type": entry.target_type, "id": entry.target_id}
    return shown
