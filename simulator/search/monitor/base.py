"""What the monitor keeps of each connection and each executor, and what it says when something is wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec

from conductor.timing import Timing
from reference_relay.core.records import AppKey, Executor, ExecutorKey
from simulator.clock import Clock, ns
from simulator.models.client import Client

EARLY_NS = 50_000_000
"""What a drifting host may make a minute shorter by."""


class Violation(msgspec.Struct, frozen=True):
    """A clause that the relay broke, and how that showed."""

    clause: str
    at_s: float
    want: str
    got: str


class Broken(Exception):
    """Ends a run whose first violation is enough."""


@dataclass(slots=True, eq=False)
class Asked:
    """A request of the relay on a connection."""

    type: str
    frame: dict[str, Any]
    at_ns: int
    due_ns: int  # by the relay's working time
    lapses_ns: int  # the same in true time: a pause too short to be noticed counts against the deadline
    about: ExecutorKey | None = None  # whose recovery


@dataclass(slots=True, eq=False)
class Conn:
    """One connection, as the relay has it."""

    number: int
    client: Client
    app: AppKey
    opened_ns: int
    heard_ns: int  # when the relay last heard of it
    pinged_ns: int
    key: ExecutorKey | None = None  # once its handshake is done
    info: dict[str, Any] = field(default_factory=dict)
    ended_ns: int | None = None  # when the relay learnt of its end, or ended it
    asked: dict[str, Asked] = field(default_factory=dict)
    spoken: bool = False
    offended: bool = False  # it sent what may be answered with a close
    superseded_ns: int | None = None
    silent_pings: int = 0  # since it was last heard
    resting: bool = False  # its heartbeats are skipped


@dataclass(slots=True, eq=False)
class Known:
    """One executor: what its status has to be."""

    key: ExecutorKey
    conn: Conn | None = None  # its newest, done with the handshake
    registered_ns: int = 0
    seen: bool = True  # listed HEALTHY since it registered
    lost_ns: int | None = None  # when the list first showed it lost
    lost_worked_ns: int = 0  # the same, by the relay's working time
    least_grace_ns: int = 0
    most_grace_ns: int = 0
    spent_ns: tuple[int, int] = (0, 0)  # of its grace before the relay restarted, at least and at most
    losses: int = 0
    restarts: int = 0  # of the relay since it was lost


@dataclass(frozen=True, slots=True)
class Unsaved:
    """The settings before a change that is not durable yet."""

    at_ns: int  # of the change, true time
    grace_ns: int
    latest_allowed: bool


class Base:
    """Time, and the list of what is broken. ``now`` is true time, ``worked`` the time in which the relay ran."""

    def __init__(self, clock: Clock, timing: Timing, *, stop: bool) -> None:
        self.clock = clock
        self.timing = timing
        self.violations: list[Violation] = []
        self.trace: list[tuple[object, ...]] = []
        self.conns: dict[int, Conn] = {}
        self.shown: dict[ExecutorKey, Executor] = {}
        self.known: dict[ExecutorKey, Known] = {}
        self.grace_ns: dict[AppKey, int] = {}
        self.latest_allowed: dict[AppKey, bool] = {}
        self.unsaved: dict[AppKey, Unsaved] = {}
        self.slow_until_ns = 0  # true time; the store was slow until then: what must be durable comes late
        self._stop = stop
        self._paused_ns = 0  # how long in all
        self._paused_since_ns: int | None = None
        self.i, self.w = ns(timing.ping_interval_s), ns(timing.ping_wait_s)
        self.scan, self.slack = ns(timing.scan_s), ns(timing.slack_s)

    @property
    def now(self) -> int:
        return self.clock.now_ns

    @property
    def worked(self) -> int:
        now_ns = self.clock.now_ns
        since_ns = self._paused_since_ns
        return now_ns - self._paused_ns - (now_ns - since_ns if since_ns is not None else 0)

    def slow(self, until_ns: int) -> None:
        self.slow_until_ns = max(self.slow_until_ns, until_ns + 2 * self.slack)

    def broken(self, clause: str, want: str, got: str) -> None:
        self.violations.append(Violation(clause, round(self.now / 1e9, 6), want, got))
        if self._stop:
            raise Broken

    def open_conns(self) -> list[Conn]:
        return [conn for conn in self.conns.values() if conn.ended_ns is None]

    def paused(self, paused: bool) -> None:
        if paused:
            self._paused_since_ns = self.now
        elif self._paused_since_ns is not None:
            self._paused_ns += self.now - self._paused_since_ns
            self._paused_since_ns = None
            for conn in self.conns.values():  # nobody could be heard, or pinged
                conn.pinged_ns = max(conn.pinged_ns, self.worked)


def seconds(span_ns: int) -> str:
    return f"{span_ns / 1e9:.3f} s"
