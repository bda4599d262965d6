"""Many executors that do nothing but live: the real core, its pings, their pongs, the executors' own pings."""

from __future__ import annotations

import hashlib
from typing import Any, Protocol

import msgspec

from reference_relay.core import Core, CoreConfig
from reference_relay.core import events as ev
from reference_relay.core.effects import Effect, Send, SendPing
from reference_relay.core.records import AppKey, Settings
from simulator.clock import SECOND_NS

_LATENCY_NS = 400_000
_OWN_PING_NS = 20 * SECOND_NS
_JOIN_NS = 2 * SECOND_NS  # all dial within this time
APP = AppKey("local", "app")


class Loop(Protocol):
    """What the world needs of its clock."""

    @property
    def now_ns(self) -> int: ...

    def call(self, delay_ns: int, function: Any, *args: Any) -> None: ...


class Heartbeats:
    """``events`` counts what the core was given."""

    def __init__(self, loop: Loop, executors: int) -> None:
        self.core = Core(CoreConfig())
        self.events = 0
        self._loop = loop
        self._armed_ns: int | None = None
        self.handle(ev.PutApplication(APP, "id", Settings()))
        for place in range(executors):
            loop.call(place * 7_919 % executors * _JOIN_NS // executors, self._dial, place + 1)

    def digest(self) -> str:
        """Of who is listed with which status: what a faster run must not change."""
        shown = [(record.key.executor_id, record.status.value) for record in self.core.executors_of(APP)]
        return hashlib.sha256(repr((self.events, sorted(shown))).encode()).hexdigest()[:16]

    def handle(self, event: ev.Event) -> None:
        self.events += 1
        now_ns = self._loop.now_ns
        for effect in self.core.handle(event, now_ns, now_ns // 1_000_000):
            self._do(effect)
        due_ns = self.core.next_due_ns
        if due_ns is not None and (self._armed_ns is None or due_ns < self._armed_ns):
            self._armed_ns = due_ns
            self._loop.call(max(due_ns - now_ns, 0), self._tick, due_ns)

    def _tick(self, due_ns: int) -> None:
        if self._armed_ns == due_ns:
            self._armed_ns = None
            self.handle(ev.Tick())

    def _dial(self, conn: int) -> None:
        self.handle(ev.Opened(conn, APP))
        self._loop.call(_OWN_PING_NS, self._own_ping, conn)

    def _own_ping(self, conn: int) -> None:
        self.handle(ev.Ping(conn))
        self._loop.call(_OWN_PING_NS, self._own_ping, conn)

    def _do(self, effect: Effect) -> None:
        if type(effect) is SendPing:
            self._loop.call(_LATENCY_NS, self.handle, ev.Pong(effect.conn, effect.payload))
        elif type(effect) is Send:
            answer = {"type": effect.type, "request_id": effect.request_id, "executor_id": f"e{effect.conn:06}"}
            data = msgspec.json.encode({**answer, "application_version": "v1", "language": "python"})
            self._loop.call(_LATENCY_NS, self.handle, ev.Text(effect.conn, data))
