"""What the relay keeps across restarts, behind a Protocol that every database implements.

All writes of the relay go through `Store.commit`, in batches that are atomic and durable on return.
A store knows nothing of the event loop: `reference_relay.store.writer` gives it one thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from reference_relay.core.core import Stored
from reference_relay.core.records import AppKey, Application, Executor, ExecutorKey, Remembered

__all__ = [
    "AuditEntry",
    "AuditQuery",
    "AuditRow",
    "Clock",
    "DropMetrics",
    "ForgetApplication",
    "KeyRecord",
    "MarkPatched",
    "MetricPoint",
    "PolicyRecord",
    "RuleRecord",
    "SaveKey",
    "SavePolicy",
    "SaveRecord",
    "SaveRule",
    "Store",
    "Stored",
    "Write",
]


class KeyRecord(msgspec.Struct, frozen=True):
    """One API key. The secret itself is never kept, only its SHA-256 in hexadecimal."""

    org: str
    name: str
    sha256: str
    permissions: tuple[str, ...]
    applications: tuple[str, ...] | None  # application names; None: all of the organisation
    created_ms: int  # wall clock


class AuditEntry(msgspec.Struct, frozen=True):
    """One line of the audit log as it is written. ``emit_ms`` is wall clock."""

    id: str
    org: str
    emit_ms: int
    operation: str
    success: bool
    subject_type: str  # "user" or "api_key"
    subject_id: str
    subject_display: str
    target_type: str | None
    target_id: str | None
    source_ip: str
    application: str  # name; empty where none is concerned
    details: dict[str, Any] | None


class AuditRow(msgspec.Struct, frozen=True):
    """An entry with its place in the log: rows are numbered in the order of their commits."""

    seq: int
    entry: AuditEntry


class AuditQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Filters of the audit log; None filters nothing. ``start_ms`` is inclusive, ``end_ms`` exclusive."""

    start_ms: int | None = None
    end_ms: int | None = None
    operation: str | None = None
    subject: str | None = None  # id or display name
    target: str | None = None  # id
    application: str | None = None
    limit: int = 100
    offset: int = 0


class RuleRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One alerting rule. ``metadata`` is any JSON value, as it was given; times are wall clock."""

    application: AppKey
    id: str
    type: str
    metadata: Any
    receiver: str  # name of the application that gets the alerts
    min_interval_s: int | None
    created_ms: int
    last_fired_ms: int | None = None


class PolicyRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The autoscaling policy of an application. None: the roll-out says nothing of it."""

    application: AppKey
    queue: str
    has_rollout: bool
    max_old_versions: int | None
    max_old_executors: int | None


class MetricPoint(msgspec.Struct, frozen=True, kw_only=True):
    """One count over ``granularity_s`` seconds from ``bucket_ms`` on. Committing it again replaces it."""

    application: AppKey
    type: str
    name: str
    granularity_s: int
    bucket_ms: int
    value: int


class SaveRecord(msgspec.Struct, frozen=True):
    """Set a record of the core, or with None remove it."""

    table: str  # "applications", "executors", "remembered"
    key: AppKey | ExecutorKey
    record: Application | Executor | Remembered | None


class MarkPatched(msgspec.Struct, frozen=True):
    """These settings were set by PATCH: from now on they win over the configuration file (LIV-9)."""

    application: AppKey
    fields: tuple[str, ...]


class SaveKey(msgspec.Struct, frozen=True):
    """Set an API key, or with None remove it."""

    org: str
    name: str
    record: KeyRecord | None


class SaveRule(msgspec.Struct, frozen=True):
    """Set an alerting rule, or with None remove it."""

    application: AppKey
    id: str
    record: RuleRecord | None


class SavePolicy(msgspec.Struct, frozen=True):
    """Set the autoscaling policy, or with None remove it."""

    application: AppKey
    record: PolicyRecord | None


class ForgetApplication(msgspec.Struct, frozen=True):
    """Remove the rules, the policy and the metrics of an application that is being deleted."""

    application: AppKey


class DropMetrics(msgspec.Struct, frozen=True):
    """Remove the points of buckets before this time."""

    before_ms: int


class Clock(msgspec.Struct, frozen=True):
    """The core's clock at this commit, in nanoseconds."""

    now_ns: int


Write = (
    SaveRecord
    | MarkPatched
    | SaveKey
    | SaveRule
    | SavePolicy
    | MetricPoint
    | DropMetrics
    | ForgetApplication
    | AuditEntry
    | Clock
)


class Store(Protocol):
    """Raises `StoreUnavailable` where a call may succeed later, another `StoreError` where it never will.

    `commit` is called from one thread at a time, the readers from any.
    """

    def load(self) -> Stored:
        """The records as they were saved, and the newest `Clock`.

        Their times are readings of a monotonic clock that starts anew with the machine: the distance of a deadline from
        ``clock_ns`` is what was left of it when the relay stopped (LIV-15).
        """
        ...

    def keys(self) -> list[KeyRecord]: ...

    def rules(self) -> list[RuleRecord]: ...

    def policies(self) -> list[PolicyRecord]: ...

    def metrics(self, application: AppKey, start_ms: int, end_ms: int) -> list[MetricPoint]:
        """Points of the buckets that begin in [start_ms, end_ms), by time, type and name."""
        ...

    def patched(self) -> dict[AppKey, frozenset[str]]:
        """The settings that `MarkPatched` named, by application."""
        ...

    def commit(self, writes: Sequence[Write]) -> None:
        """All or nothing, durable on return."""
        ...

    def audit(self, org: str, query: AuditQuery) -> list[AuditRow]:
        """Newest first: by time, then by place in the log."""
        ...

    def close(self) -> None: ...
