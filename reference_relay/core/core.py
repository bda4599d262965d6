"""The relay's core: one object, told events and the time, that says what to do.

Drivers: the asyncio server, the SimPy simulator, Hypothesis. Time is integer nanoseconds of a
monotonic clock and never goes back. The order of effects is total: the same events at the same
times give the same effects, in every process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from conductor.codec import decode_envelope
from conductor.errors import DecodeError
from reference_relay.core import events as ev
from reference_relay.core.applications import Managing
from reference_relay.core.config import NS, CoreConfig
from reference_relay.core.effects import Effect, Send
from reference_relay.core.records import (
    AppKey,
    Application,
    Connection,
    Executor,
    ExecutorKey,
    Pending,
    Phase,
    Purpose,
    Recovery,
    Remembered,
    Status,
)
from reference_relay.core.timers import LAST_OF_LIVENESS, Entry, Timer

RESTARTED = "the relay restarted, and no peer has joined since"


class Stored(msgspec.Struct, frozen=True):
    """What a store gives back. ``clock_ns`` is the core's time at the last commit or heartbeat."""

    applications: Sequence[Application] = ()
    executors: Sequence[Executor] = ()
    remembered: Sequence[Remembered] = ()
    clock_ns: int = 0


class Core(Managing):
    """Lifecycle, liveness, recovery and dispatch of one relay instance, without I/O."""

    def __init__(self, config: CoreConfig | None = None) -> None:
        super().__init__(config)
        self._pause_ns = max(NS, self._wait_ns // 4)  # deadlines overdue by more: the relay itself was stopped
        self._handlers: dict[type, Callable[[Any], None]] = {
            ev.Text: self._on_text,
            ev.Call: self._call,
            ev.Pong: self._heard,
            ev.Ping: self._heard,
            ev.Progress: self._heard,
            ev.Tick: lambda _: self._on_tick(),
            ev.Opened: self._opened,
            ev.Closed: self._closed,
            ev.Binary: self._on_binary,
            ev.CallAbandoned: self._abandon,
            ev.PutApplication: self._put_application,
            ev.DeleteApplication: lambda event: self._delete_application(event.application),
            ev.LatestVersion: self._latest_told,
            ev.CloseConnections: self._close_all,
        }

    # ---- the driver's side

    def handle(self, event: ev.Event, now_ns: int, now_ms: int = 0) -> list[Effect]:
        """Take one event at ``now_ns`` (``now_ms``: wall clock, only for people). Effects in order."""
        assert now_ns >= self._now_ns, f"time went back from {self._now_ns} to {now_ns} ns"
        self._now_ns, self._now_ms, self._effects = now_ns, now_ms, []
        due_ns = self._timers.next_due_ns()
        if due_ns is not None and now_ns - due_ns > self._pause_ns:
            self._forgive_own_pause(now_ns - due_ns)
        self._handlers[type(event)](event)
        if self._unanswered:
            self._go_on_without_answers()
        return self._effects

    def wants(self, effect: Effect) -> bool:
        """Whether what was held until its transaction was durable is still to leave.

        Not a request that was given up meanwhile: the store was away for longer than its deadline, and by now another
        peer is asked (REC-10); nor one about an executor that has returned (REC-26).
        """
        if type(effect) is not Send:
            return True
        pending = self.pending.get(effect.request_id)
        return pending is not None and not pending.moot

    @property
    def next_due_ns(self) -> int | None:
        """When the driver must send the next `Tick`; it may come late, and may come for nothing."""
        return self._timers.next_due_ns()

    def load(self, stored: Stored, now_ns: int, now_ms: int = 0) -> list[Effect]:
        """Go on with what a store kept, at readiness (LIV-15, REC-19): the time between does not count."""
        assert not self.applications, "load comes before the first event"
        self._now_ns, self._now_ms, self._effects = now_ns, now_ms, []
        gap_ns = now_ns - stored.clock_ns
        for application in stored.applications:
            self._put("applications", application.key, replace(application, seek_ns=None, sweep_ns=None))
        for executor in stored.executors:
            if executor.key.application in self.applications:
                self._restore_executor(executor, gap_ns)
        for remembered in stored.remembered:
            if remembered.key.application in self.applications:
                self._put("remembered", remembered.key, replace(remembered, until_ns=remembered.until_ns + gap_ns))
                self._index_remembered(remembered.key, present=True)
                self._start_sweeping(remembered.key.application)
        return self._effects

    def _restored(self) -> None:
        """A snapshot was put back: its deadlines come up again. An entry that comes early is looked at and put off."""
        super()._restored()
        timers = self._timers
        timers.clear()
        for app, application in self.applications.items():
            for kind, due_ns in ((Timer.SEEK, application.seek_ns), (Timer.SWEEP, application.sweep_ns)):
                if due_ns is not None:
                    timers.arm(kind, app, due_ns)
        for key, executor in self.executors.items():
            if executor.dead_at_ns is not None:
                timers.arm(Timer.GRACE, key, executor.dead_at_ns)
            if executor.recovery is not None and executor.recovery.due_ns is not None:
                timers.arm(Timer.BACKOFF, key, executor.recovery.due_ns)
        for conn, connection in self.connections.items():
            timers.arm(Timer.PING, (conn,), connection.next_ping_ns)
            timers.arm(Timer.SILENCE, (conn,), self._silent_at_ns(connection))
            if connection.handshake_by_ns is not None:
                timers.arm(Timer.HANDSHAKE, (conn,), connection.handshake_by_ns)
        for request_id, pending in self.pending.items():
            kind = Timer.CALL if pending.purpose is Purpose.CALL else Timer.REQUEST
            timers.arm(kind, (request_id,), pending.due_ns)

    def _restore_executor(self, executor: Executor, gap_ns: int) -> None:
        if executor.status is Status.HEALTHY:
            self._put_executor(executor.key, executor)
            self._disconnected(executor, "the relay restarted")
        elif executor.status is Status.DISCONNECTED:
            assert executor.dead_at_ns is not None and executor.disconnected_ns is not None
            restored = replace(
                executor,
                disconnected_ns=executor.disconnected_ns + gap_ns,
                # Not before now, where the crash came between its end and the record of that: no pause of this relay.
                dead_at_ns=max(executor.dead_at_ns + gap_ns, self._now_ns),
            )
            self._save_executor(restored)
            self._arm_grace(restored)
        else:
            cause = executor.recovery.cause if executor.recovery else "death"
            recovery = Recovery(Phase.WAITING, cause=cause, surfaced=RESTARTED)
            self._put_executor(executor.key, replace(executor, recovery=recovery))

    # ---- events of connections and of the driver

    def _heard(self, event: ev.Pong | ev.Ping | ev.Progress) -> None:
        if connection := self.connections.get(event.conn):
            self._on_control(connection, event)

    def _closed(self, event: ev.Closed) -> None:
        if connection := self.connections.get(event.conn):
            self._lost(connection, event.reason)

    def _on_binary(self, event: ev.Binary) -> None:
        if connection := self.connections.get(event.conn):
            self._close(connection, 1003, "binary messages are not part of the protocol")

    def _latest_told(self, event: ev.LatestVersion) -> None:
        if event.application in self.applications:
            self._set_latest(event.application, event.version)

    def _close_all(self, event: ev.CloseConnections) -> None:
        for conn in event.conns:
            if connection := self.connections.get(conn):
                self._close(connection, 1008, event.reason)

    # ---- frames

    def _on_text(self, event: ev.Text) -> None:
        connection = self.connections.get(event.conn)
        if connection is None:
            return
        connection = self._alive(connection)
        try:
            envelope = decode_envelope(event.data)
        except DecodeError as error:
            self._on_malformed(connection, error)
            return
        request_id = envelope.request_id or ""
        pending = self.pending.get(request_id) or self.late.get(request_id)
        if pending is None or pending.conn != event.conn:
            return  # unsolicited, duplicate, late, or another connection's (ENV-4)
        self._settle(pending)
        if envelope.type != pending.type:
            self._request_failed(pending, f"answered with type {envelope.type}")
        else:
            self._answered(connection, pending, event.data, envelope.error_message)

    def _on_malformed(self, connection: Connection, error: DecodeError) -> None:
        """ENV-6: the offending connection may be closed."""
        self._close(connection, 1007, str(error)[:100])

    def _on_control(self, connection: Connection, event: ev.Pong | ev.Ping | ev.Progress) -> None:
        self._alive(connection)

    def _answered(self, connection: Connection, pending: Pending, data: bytes, error_message: str | None) -> None:
        """A response of the right type, for a request of this connection."""
        match pending.purpose:
            case Purpose.CALL:
                self._call_answered(pending, data, error_message)
            case Purpose.HANDSHAKE:
                self._handshake_answered(connection, data)
            case Purpose.RECOVERY:
                self._recovery_answered(pending, data)
            case Purpose.VERIFY:
                self._verified(pending, data)
            case Purpose.VERSIONS:
                self._versions_answered(pending, data)
            case Purpose.SWEEP:
                if error_message:
                    self._sweep_failed(pending)
                elif pending.type == "exist_pending_workflows":
                    self._sweep_one_answered(pending, data)
                else:
                    self._sweep_answered(pending, data)

    def _request_failed(self, pending: Pending, error: str) -> None:
        """No usable answer, but the connection stands."""
        match pending.purpose:
            case Purpose.CALL:
                self._call_failed(pending, error)
            case Purpose.RECOVERY:
                self._dispatch_failed(pending, "refused", error)
            case Purpose.VERIFY:
                self._verification_failed(pending, peer_lost=False)
            case Purpose.SWEEP:
                self._sweep_failed(pending)
            case Purpose.HANDSHAKE | Purpose.VERSIONS:
                pass

    # ---- time

    def _on_tick(self) -> None:
        """Who is still there first, then what follows: however late, nobody is asked whose own time is over (REC-5)."""
        pop, now_ns = self._timers.pop_due, self._now_ns
        entry = pop(now_ns)
        while entry is not None:
            later: list[Entry] = []
            while entry is not None:
                if entry[1] <= LAST_OF_LIVENESS:
                    self._fire(entry[1], entry[2])
                else:
                    later.append(entry)
                entry = pop(now_ns)
            self._go_on_without_answers()
            for _, kind, key in later:
                self._fire(kind, key)
            entry = pop(now_ns)

    def _fire(self, kind: Timer, key: tuple[str | int, ...]) -> None:
        match kind:
            case Timer.PING:
                self._ping_due(int(key[0]))
            case Timer.SILENCE:
                self._silence_due(int(key[0]))
            case Timer.HANDSHAKE:
                self._handshake_due(int(key[0]))
            case Timer.GRACE:
                self._grace_due(_executor(key))
            case Timer.REQUEST | Timer.CALL:
                self._request_due(str(key[0]))
            case Timer.BACKOFF:
                self._backoff_due(_executor(key))
            case Timer.SEEK | Timer.SWEEP:
                self._application_due(kind, AppKey(str(key[0]), str(key[1])))

    def _request_due(self, request_id: str) -> None:
        pending = self.pending.get(request_id)
        if pending is None:
            return
        if pending.due_ns > self._now_ns:
            self._arm(Timer.REQUEST, (request_id,), pending.due_ns)
        elif pending.purpose is Purpose.RECOVERY:
            self._recovery_timed_out(pending)
        elif pending.purpose is not Purpose.HANDSHAKE:  # that one has a timer of its own
            self._settle(pending)
            call = self.calls.get(pending.call_id or 0)
            if call is not None and call.due_ns <= self._now_ns:
                self._call_timed_out(call.call_id)
            else:
                self._request_failed(pending, "no answer in time")

    def _recovery_timed_out(self, pending: Pending) -> None:
        """Of unknown outcome, not failed: its late answer counts (REC-9, REC-24)."""
        assert pending.executor is not None
        if pending.moot or self._recovery_of(pending.executor) is None:
            self._settle(pending)
        else:
            self._let_lapse(pending)
        self._dispatch_failed(pending, "timeout")

    def _backoff_due(self, key: ExecutorKey) -> None:
        recovery = self._recovery_of(key)
        if recovery is None or recovery.phase is not Phase.BACKOFF or recovery.due_ns is None:
            return
        if recovery.due_ns > self._now_ns:
            self._arm(Timer.BACKOFF, key, recovery.due_ns)
        else:
            self._progress(key, replace(recovery, phase=Phase.WAITING, due_ns=None))
            self._seek_peer(key)

    def _application_due(self, kind: Timer, app: AppKey) -> None:
        application = self.applications.get(app)
        if application is None:
            return
        due_ns = application.seek_ns if kind is Timer.SEEK else application.sweep_ns
        if due_ns is None:
            return
        if due_ns > self._now_ns:
            self._arm(kind, app, due_ns)
        elif kind is Timer.SEEK:
            self._seek_now(app)
        else:
            self._sweep(app)

    def _forgive_own_pause(self, paused_ns: int) -> None:
        """The relay itself was stopped: nobody could be heard, nobody's time has run (LIV-16).

        Before the first event after it, whatever that is: what it starts has had no pause.
        """
        self._shift(paused_ns)
        self._log("warning", "the relay was paused", seconds=paused_ns / NS)
        self._on_tick()


def _executor(key: tuple[str | int, ...]) -> ExecutorKey:
    return ExecutorKey(str(key[0]), str(key[1]), str(key[2]))
