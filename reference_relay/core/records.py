"""The values that the core keeps: one frozen record a thing, replaced whole on every change.

Times are integer nanoseconds of a monotonic clock (names end in ``_ns``). A field in `TIMES` of a
record is a point in time; the digest of the state reads it relative to now, so that two states that
differ only by a shift in time have the same digest.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, ClassVar, NamedTuple

import msgspec


class Status(StrEnum):
    """What the executors list shows. RECOVERING is a phase of DEAD and reported as DEAD (recovery page)."""

    HEALTHY = "HEALTHY"
    DISCONNECTED = "DISCONNECTED"
    DEAD = "DEAD"


class Phase(StrEnum):
    """Where the recovery of a DEAD executor stands."""

    WAITING = "waiting"  # no candidate at all: waits for one to join, surfaced
    BACKOFF = "backoff"  # every candidate was asked and none did it: tries again at `due_ns`
    DISPATCHED = "dispatched"  # a recovery frame is out
    VERIFYING = "verifying"  # success: true came, exist_pending_workflows is out


class Purpose(StrEnum):
    """Why a request frame was sent."""

    HANDSHAKE = "handshake"
    CALL = "call"
    RECOVERY = "recovery"
    VERIFY = "verify"
    SWEEP = "sweep"  # do remembered ids own pending work again (REC-25)
    VERSIONS = "versions"  # which version is the latest (REC-14)


class AppKey(NamedTuple):
    org: str
    app: str


_new = tuple.__new__


class ExecutorKey(NamedTuple):
    org: str
    app: str
    executor_id: str

    @property
    def application(self) -> AppKey:
        return _new(AppKey, self[:2])  # as AppKey(self.org, self.app), in half the time: each event asks for some


class Settings(msgspec.Struct, frozen=True):
    """Settings of one application. ``recover_to_latest_version`` is an extension, off by default (REC-14)."""

    executor_timeout_s: int = 60
    recover_to_latest_version: bool = False
    private_mode: bool = False
    gc_rows_threshold: int | None = None
    gc_time_threshold_ms: int | None = None
    global_timeout_ms: int | None = None


class Application(msgspec.Struct, frozen=True):
    key: AppKey
    app_id: str
    settings: Settings
    language: str | None = None  # of the executor that registered last
    latest_version: str | None = None  # highest version_timestamp, as an executor last told
    seek_ns: int | None = None  # somebody joined: when its DEAD executors look for a peer
    sweep_ns: int | None = None  # when its remembered ids are next asked for (REC-25)
    TIMES: ClassVar[tuple[str, ...]] = ("seek_ns", "sweep_ns")


class ExecutorInfo(msgspec.Struct, frozen=True):
    """What the executor said of itself in its executor_info answer."""

    executor_id: str
    application_version: str
    hostname: str | None = None
    language: str | None = None
    dbos_version: str | None = None
    metadata: dict[str, Any] | None = None


class Recovery(msgspec.Struct, frozen=True):
    """Progress of one recovery; part of a DEAD executor's record."""

    phase: Phase
    attempt: int = 0  # dispatches so far
    rounds: int = 0  # whole rounds of failures since the last reset: drives the backoff
    due_ns: int | None = None  # when to try again (BACKOFF)
    peer: str | None = None  # executor id of the peer asked last
    request_id: str | None = None  # the frame that is out (DISPATCHED, VERIFYING)
    asked: tuple[str, ...] = ()  # candidates asked in this round
    tried_latest: tuple[str, ...] = ()  # candidates of the latest version: each asked once, ever (REC-14)
    late: tuple[str, ...] = ()  # frames past their deadline whose answer still counts (REC-24)
    checks: int = 0  # executors that could not say whether work is left
    surfaced: str | None = None  # why it waits, in words, once it was put into the audit log
    cause: str = "death"  # "death" or "remembered" (REC-25)


class Executor(msgspec.Struct, frozen=True):
    key: ExecutorKey
    info: ExecutorInfo
    status: Status
    conn: int | None  # the newest connection, while HEALTHY
    created_ms: int  # wall clock, for people
    updated_ms: int  # wall clock of the last change of status
    disconnected_ns: int | None = None
    dead_at_ns: int | None = None  # end of the grace period, while DISCONNECTED
    recovery: Recovery | None = None  # while DEAD
    TIMES: ClassVar[tuple[str, ...]] = ("disconnected_ns", "dead_at_ns")


class Connection(msgspec.Struct, frozen=True):
    """An open connection. ``executor_id`` is None until the handshake is done."""

    conn: int
    application: AppKey
    last_frame_ns: int  # last sign of life
    next_ping_ns: int
    executor_id: str | None = None
    handshake_by_ns: int | None = None
    TIMES: ClassVar[tuple[str, ...]] = ("last_frame_ns", "next_ping_ns", "handshake_by_ns")


class Pending(msgspec.Struct, frozen=True):
    """A request frame that waits for its answer."""

    request_id: str
    conn: int
    type: str
    purpose: Purpose
    due_ns: int
    executor: ExecutorKey | None = None  # whose recovery (RECOVERY, VERIFY, SWEEP)
    call_id: int | None = None  # whose call (CALL)
    peer: str = ""  # executor id behind `conn`
    attempt: int = 0  # of the recovery
    moot: bool = False  # the dead executor has returned: the answer is audited and changes nothing (LIV-13)
    TIMES: ClassVar[tuple[str, ...]] = ("due_ns",)


class CallState(msgspec.Struct, frozen=True):
    """A management call on its way: which executors were asked, until when it may go on."""

    call_id: int
    application: AppKey
    type: str
    fields: dict[str, object]
    due_ns: int
    version: str | None = None
    failover: bool = True
    asked: tuple[str, ...] = ()
    error: str | None = None  # of the last failure
    TIMES: ClassVar[tuple[str, ...]] = ("due_ns",)


class Remembered(msgspec.Struct, frozen=True):
    """An id that was recovered and deleted; a falsely dead executor may own rows again (REC-25)."""

    key: ExecutorKey
    application_version: str
    language: str | None
    until_ns: int
    TIMES: ClassVar[tuple[str, ...]] = ("until_ns",)
