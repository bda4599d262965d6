"""Durability in virtual time: one writer with group commit in front of a store that outlives the relay's process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from reference_relay.core.core import Core
from reference_relay.core.effects import Audit, Save
from reference_relay.core.records import AppKey
from reference_relay.server.api.times import rfc3339
from reference_relay.store import AuditEntry, SaveRecord, Store, Write
from simulator.clock import Clock

Batch = tuple[Sequence[Write], Callable[[], object]]


class Writer:
    """What comes in while a commit runs goes into the next one, in order.

    ``commit_ns`` draws how long one commit takes. A transaction is durable when its commit ends; a kill before that
    loses it whole.
    """

    def __init__(self, clock: Clock, store: Store, commit_ns: Callable[[], int]) -> None:
        self._clock = clock
        self._store = store
        self._commit_ns = commit_ns
        self._waiting: list[Batch] = []
        self._busy = False
        self._dead = False
        self._since_ns = 0  # when the commit that runs began

    def submit(self, writes: Sequence[Write], done: Callable[[], object]) -> None:
        """Commit ``writes`` as one transaction, then call ``done``."""
        self._waiting.append((writes, done))
        if not self._busy:
            self._begin()

    @property
    def busy(self) -> bool:
        """Whether something that was submitted is not durable yet."""
        return self._busy

    @property
    def settled_ns(self) -> int:
        """Whatever was submitted before is durable."""
        return self._since_ns if self._busy else self._clock.now_ns

    def kill(self) -> None:
        """Nothing that is not durable by now ever will be."""
        self._dead = True

    def _begin(self) -> None:
        self._busy, self._since_ns = True, self._clock.now_ns
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


def stored_write(effect: Save | Audit, core: Core, now_ms: int, next_id: Callable[[], str]) -> Write:
    """The store's form of an effect of the core, as the relay's server writes it. ``now_ms`` is the wall clock."""
    if isinstance(effect, Save):
        return SaveRecord(effect.table, effect.key, effect.record)
    application = core.applications.get(AppKey(effect.org, effect.application))
    return AuditEntry(
        id=next_id(),
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


def audit_json(entry: AuditEntry) -> dict[str, Any]:
    """An entry as the management API shows it (AuditLogEntry of the API document)."""
    shown: dict[str, Any] = {
        "id": entry.id,
        "emitTime": rfc3339(entry.emit_ms),
        "operation": entry.operation,
        "status": "success" if entry.success else "failure",
        "subject": {"type": entry.subject_type, "id": entry.subject_id, "display": entry.subject_display},
        "sourceIp": entry.source_ip,
        "details": entry.details,
    }
    if entry.target_type is not None:
        shown["target"] = {"type": entry.target_type, "id": entry.target_id}
    return shown
