"""Drives the core: connections and API calls in, effects out, one timer, one writer.

`Save` and `Audit` of one `handle` call are one transaction. What follows them in the same list waits until that
transaction is durable; what stands before them leaves at once. Transactions keep their order.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

import structlog

from reference_relay.core.core import Core, Stored
from reference_relay.core.effects import (
    Applied,
    Audit,
    CallDone,
    Close,
    Effect,
    Log,
    Save,
    Send,
    SendPing,
)
from reference_relay.core.events import Call, CallAbandoned, CloseConnections, Event, Opened, Tick
from reference_relay.core.records import AppKey, Executor, ExecutorKey, Status
from reference_relay.errors import StoreUnavailable
from reference_relay.server.auditing import automatic_entry, without_keys
from reference_relay.server.logs import Redactor
from reference_relay.store import AuditEntry, Clock, SaveRecord, Store, Write
from reference_relay.store.writer import GroupWriter

BEAT_S = 0.25
_DURABLE = (Save, Audit)
_NEVER = 1 << 63  # ns
_CLOCK_BEATS = round(1.0 / BEAT_S)  # the clock row is at most a second old (LIV-15)

log = structlog.get_logger("reference_relay")


class Peer(Protocol):
    """What the hub wants of a connection."""

    key: tuple[str, str]  # organisation and name of the key that opened it

    def send(self, data: bytes) -> None: ...
    def ping(self, payload: bytes) -> None: ...
    def end(self, code: int, reason: str) -> None: ...
    def trust(self) -> None:
        """The handshake is complete: larger frames are welcome."""
        ...

    def check_progress(self) -> bool:
        """Called every `BEAT_S` seconds while `Hub.watch`ed. False: nothing waits any more."""
        ...


class Hub:
    """Start it inside the running loop. ``on_failure`` hears of a store that failed for good: the relay must stop."""

    def __init__(
        self,
        core: Core,
        store: Store,
        on_failure: Callable[[BaseException], None],
        redactor: Redactor | None = None,
    ) -> None:
        self.core = core
        self.store = store
        self.trouble: str | None = None  # why nothing becomes durable now
        self.recoveries: Counter[tuple[AppKey, str]] = Counter()  # (application, "success" or "failure")
        self._loop = asyncio.get_running_loop()
        self._redactor = redactor or Redactor()
        self._writer = GroupWriter(
            store, deliver=self._delivered, on_trouble=self._store_trouble, on_failure=on_failure
        )
        self._peers: dict[int, Peer] = {}
        self._watched: set[Peer] = set()  # peers with something in their send buffer
        self._numbers = itertools.count(1)
        self._calls: dict[int, asyncio.Future[CallDone]] = {}
        self._call_numbers = itertools.count(1)
        self._fading: set[ExecutorKey] = set()  # DISCONNECTED executors: their age is being kept
        self._unwritten = 0  # transactions submitted and not yet durable
        self._timer: asyncio.TimerHandle | None = None
        self._timer_due_ns = _NEVER
        self._beats = 0
        self._beat_timer: asyncio.TimerHandle | None = None
        self._stopped = False
        self._perform: dict[type, Callable[[Any], None]] = {
            Send: self._send,
            SendPing: self._send_ping,
            Close: self._close,
            CallDone: self._call_done,
            Applied: self._applied,
            Log: self._log,
        }

    # ---- life

    def start(self, stored: Stored) -> None:
        self._fading = {e.key for e in stored.executors if e.status is Status.DISCONNECTED}
        self._execute(self.core.load(stored, time.monotonic_ns(), wall_ms()), ())
        self._arm()
        self._beat()

    def stop(self) -> None:
        """From now on the core hears nothing: executors stay as they are for the next start."""
        self._stopped = True
        for timer in (self._timer, self._beat_timer):
            if timer is not None:
                timer.cancel()

    def close(self) -> bool:
        """Make durable what is submitted. Returns whether that succeeded in time."""
        return self._writer.close()

    # ---- connections

    def open(self, peer: Peer, application: AppKey) -> int:
        """Register an accepted connection under a number that is never used again."""
        conn = next(self._numbers)
        self._peers[conn] = peer
        self.feed(Opened(conn, application))
        return conn

    def forget(self, conn: int) -> None:
        """The socket is gone for good."""
        self._peers.pop(conn, None)

    def watch(self, peer: Peer) -> None:
        """See to it that the peer takes what waits for it."""
        self._watched.add(peer)

    def close_key(self, org: str, name: str, reason: str) -> None:
        """End all connections that a key opened."""
        conns = tuple(conn for conn, peer in self._peers.items() if peer.key == (org, name))
        if conns:
            self.feed(CloseConnections(conns, reason))

    def rename_key(self, org: str, name: str, new_name: str) -> None:
        """Open connections of a key that was renamed go on under its new name."""
        for peer in self._peers.values():
            if peer.key == (org, name):
                peer.key = (org, new_name)

    # ---- the core

    def feed(self, event: Event, writes: Sequence[Write] = ()) -> None:
        """Tell the core. ``writes`` become durable in the same transaction as the records that the event changes."""
        if self._stopped:
            return
        effects = self.core.handle(event, time.monotonic_ns(), wall_ms())
        if effects or writes:
            self._execute(effects, writes)
        self._arm()

    async def call(self, event: Callable[[int], Call]) -> CallDone:
        """Ask an executor: ``event`` makes the `Call` for a call number. When cancelled, the core hears of it."""
        call_id = next(self._call_numbers)
        done: asyncio.Future[CallDone] = self._loop.create_future()
        self._calls[call_id] = done
        try:
            self.feed(event(call_id))
            return await done
        except asyncio.CancelledError:
            self.feed(CallAbandoned(call_id))
            raise
        finally:
            del self._calls[call_id]

    async def apply(self, event: Event, writes: Sequence[Write] = ()) -> None:
        """Tell the core and wait until everything that follows is durable."""
        self.feed(event, writes)
        await self.settled()

    async def commit(self, writes: Sequence[Write]) -> None:
        """Make writes durable that the core has no part in."""
        done = self._loop.create_future()
        self._submit(writes, lambda: None if done.cancelled() else done.set_result(None))
        await done

    async def settled(self) -> None:
        """Wait until all that the core has changed is durable, so that no answer shows what a crash takes back."""
        if self._unwritten:
            self.check_store()
            await self.commit(())

    def check_store(self) -> None:
        """Raises StoreUnavailable while nothing becomes durable: better no change than one of unknown outcome."""
        if self.trouble is not None:
            raise StoreUnavailable(self.trouble)

    # ---- effects

    def _execute(self, effects: Sequence[Effect], writes: Sequence[Write]) -> None:
        at = 0
        if not writes:
            for effect in effects:
                if type(effect) in _DURABLE:
                    break
                self._perform[type(effect)](effect)
                at += 1
            else:
                return
        self._execute_durably(effects[at:], writes)

    def _execute_durably(self, effects: Sequence[Effect], writes: Sequence[Write]) -> None:
        """One transaction of all that is to be stored; the rest of the effects waits for it."""
        batch = list(writes)
        held: list[Effect] = []
        for effect in effects:
            if isinstance(effect, Save):
                self._note(effect)
                batch.append(SaveRecord(effect.table, effect.key, effect.record))
            elif isinstance(effect, Audit):
                batch.append(self._audit_entry(effect))
            else:
                held.append(effect)
        batch.append(Clock(time.monotonic_ns()))
        self._submit(batch, partial(self._release, held))

    def _release(self, effects: list[Effect]) -> None:
        for effect in effects:
            if self.core.wants(effect):
                self._perform[type(effect)](effect)

    def _send(self, effect: Send) -> None:
        peer = self._peers.get(effect.conn)
        if peer is not None:
            peer.send(effect.data)

    def _send_ping(self, effect: SendPing) -> None:
        peer = self._peers.get(effect.conn)
        if peer is not None:
            peer.ping(effect.payload)

    def _close(self, effect: Close) -> None:
        peer = self._peers.get(effect.conn)
        if peer is not None:
            peer.end(effect.code, effect.reason)

    def _call_done(self, effect: CallDone) -> None:
        done = self._calls.get(effect.call_id)
        if done is not None and not done.done():
            done.set_result(effect)

    def _applied(self, effect: Applied) -> None:
        """`apply` waits for durability itself."""

    def _log(self, effect: Log) -> None:
        getattr(log, effect.level)(effect.event, **effect.fields)

    def _note(self, effect: Save) -> None:
        """Keep what the driver itself must know of the executors."""
        if isinstance(effect.key, ExecutorKey) and effect.table == "executors":
            record = effect.record
            if isinstance(record, Executor) and record.status is Status.DISCONNECTED:
                self._fading.add(effect.key)
            else:
                self._fading.discard(effect.key)
            if isinstance(record, Executor) and record.conn is not None and record.conn in self._peers:
                self._peers[record.conn].trust()

    def _audit_entry(self, effect: Audit) -> AuditEntry:
        key = AppKey(effect.org, effect.application)
        if effect.operation == "executor.recover":
            self.recoveries[key, "success" if effect.success else "failure"] += 1
        return automatic_entry(effect, self.core.applications.get(key), wall_ms())

    # ---- durability

    def _submit(self, writes: Sequence[Write], then: Callable[[], None]) -> None:
        self._unwritten += 1
        self._writer.submit([without_keys(w, self._redactor) if type(w) is AuditEntry else w for w in writes], then)

    def _delivered(self, durable: Sequence[Callable[[], None]]) -> None:
        """Called in the writer's thread: the loop is woken once for a whole group."""
        self._loop.call_soon_threadsafe(self._durable, durable)

    def _durable(self, durable: Sequence[Callable[[], None]]) -> None:
        if self.trouble is not None:
            log.info("the store is available again")
            self.trouble = None
        for then in durable:
            self._loop.call_soon(self._next, then)  # each by itself: one that fails takes none with it

    def _next(self, then: Callable[[], None]) -> None:
        self._unwritten -= 1
        then()

    def _store_trouble(self, trouble: str) -> None:
        """Called in the writer's thread."""
        self.trouble = trouble
        log.error("the store is unavailable, trying again", trouble=trouble)

    # ---- time

    def _arm(self) -> None:
        due_ns = self.core.next_due_ns
        if due_ns is None or due_ns >= self._timer_due_ns:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_due_ns = due_ns
        # Loops round to milliseconds: half of one more, so that a timer never comes before its time.
        delay_s = max(0.0, (due_ns - time.monotonic_ns()) / 1e9) + 0.0005
        self._timer = self._loop.call_later(delay_s, self._on_timer)

    def _on_timer(self) -> None:
        self._timer, self._timer_due_ns = None, _NEVER
        try:
            self.feed(Tick())
        finally:
            if self._timer is None and not self._stopped:
                self._arm()

    def _beat(self) -> None:
        """Housekeeping: stalled peers, and the clock row."""
        self._beat_timer = self._loop.call_later(BEAT_S, self._beat)
        self._beats += 1
        if self._fading and self._beats % _CLOCK_BEATS == 0:
            self._submit((Clock(time.monotonic_ns()),), lambda: None)
        self._watched = {peer for peer in self._watched if peer.check_progress()}


def wall_ms() -> int:
    """Epoch milliseconds: for people, never for a decision (LIV-16)."""
    return time.time_ns() // 1_000_000
