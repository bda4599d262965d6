"""The simulator's driver of the relay's core: it does what the effects ask for, in virtual time.

One `Relay` is one installation: its durable tables outlive any number of processes (`start`, `kill`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from random import Random
from typing import Any

import msgspec

from reference_relay.core import events
from reference_relay.core.config import CoreConfig
from reference_relay.core.core import Core
from reference_relay.core.effects import Audit, CallDone, Close, Effect, Log, Save, Send, SendPing
from reference_relay.core.records import AppKey, Status
from reference_relay.store import AuditQuery, Write
from reference_relay.store import Clock as ClockReading
from reference_relay.store.memory import MemoryStore
from simulator.clock import SECOND_NS, Clock
from simulator.errors import RelayGone
from simulator.link import Link
from simulator.socket import Peer, Socket
from simulator.writer import Writer, audit_json, stored_write

_STUCK_NS = 1_000_000  # a core whose deadline stays in the past is ticked at most once a millisecond
_EPOCH_MS = 1_767_225_600_000  # the wall clock at the start of every simulation: 2026-01-01T00:00:00Z

CallEnd = Callable[[CallDone | None], object]


class Relay:
    """The relay under test. ``core`` is the class that runs in it: the reference's own or a broken one."""

    def __init__(self, clock: Clock, random: Random, core: type[Core], config: CoreConfig) -> None:
        self.store = MemoryStore()
        self.log_lines: list[str] = []
        self.wall_step_ms = 0  # how far somebody has moved the wall clock
        self.crashed: Callable[[Exception], None] = lambda failure: None
        self.handled = 0  # events, starts included: while this stays, every record stays
        self._clock = clock
        self._random = random
        self._core_class = core
        self._config = config
        self._core: Core | None = None
        self._starts = 0
        self._audit_ids = count(1)
        self._reset()

    def _reset(self) -> None:
        self._sockets: dict[int, Socket] = {}
        self._next_conn = 1
        self._calls: dict[int, CallEnd] = {}
        self._next_call = 1
        self._settling: list[Callable[[bool], object]] = []
        self._armed_ns: int | None = None
        self._ticked_ns = -1
        self._begun = False  # whether this process has stored anything
        self._writer = Writer(self._clock, self.store, self._commit_ns)

    # ---- the process

    @property
    def up(self) -> bool:
        return self._core is not None

    @property
    def core(self) -> Core:
        """The running core, for its views. Raises `RelayGone` while the relay is down."""
        if self._core is None:
            raise RelayGone("the relay is down: start it before looking into it")
        return self._core

    def start(self) -> None:
        """Start a process on the tables as they are."""
        assert self._core is None, "the relay runs already"
        self._reset()
        self._starts += 1
        self.handled += 1
        self._started_ns = self._clock.now_ns
        # A monotonic clock begins anywhere: deadlines must survive that (LIV-15).
        self._offset_ns = self._random.randrange(1_000_000 * SECOND_NS)
        prefix = f"{self._config.request_prefix}{self._starts}"
        self._core = self._core_class(msgspec.structs.replace(self._config, request_prefix=prefix))
        self._execute(self._core.load(self.store.load(), self._now_ns, self.now_ms))
        self._arm()

    def kill(self) -> None:
        """SIGKILL: what is not durable is gone, and every socket with it."""
        assert self._core is not None, "the relay is down already"
        self._beat()
        self._core = None
        self._writer.kill()
        for socket in self._sockets.values():
            socket.die()
        for done in self._calls.values():
            self._clock.call(0, done, None)
        for waiter in self._settling:
            self._clock.call(0, waiter, False)
        self._reset()

    # ---- what comes in

    def dialled(self, application: AppKey, link: Link, peer: Peer) -> None:
        """An upgrade request arrives. The answer goes down the link: refused with 404, with nothing, or accepted."""
        if self._core is None:
            link.down(peer.refused, 0)
        elif application not in self._core.applications:
            link.down(peer.refused, 404)
        else:
            socket = Socket(self._next_conn, link, peer, self.handle)
            self._next_conn += 1
            self._sockets[socket.conn] = socket
            link.down(peer.upgraded, socket)
            self.handle(events.Opened(socket.conn, application))

    def call(self, event: Callable[[int], events.Call], done: CallEnd) -> int:
        """Ask some executor: ``event`` makes the call for its number, which is returned.

        ``done(None)``: the relay died first.
        """
        call_id, self._next_call = self._next_call, self._next_call + 1
        self._calls[call_id] = done
        self.handle(event(call_id))
        return call_id

    def abandon(self, call_id: int) -> None:
        """Nobody waits for the call any more."""
        if self._calls.pop(call_id, None) is not None:
            self.handle(events.CallAbandoned(call_id))

    def commit(self, writes: Sequence[Write], done: Callable[[bool], object]) -> None:
        """Make writes durable that the core has no part in; ``done`` as of `settled`."""
        self._settling.append(done)
        self._writer.submit(writes, partial(self._settle, done))

    def settled(self, done: Callable[[bool], object]) -> None:
        """Call ``done(True)`` when all changes so far are durable: no answer shows what a crash takes back.

        ``done(False)``: the relay died first.
        """
        if self._writer.busy:
            self.commit((), done)
        else:
            done(True)

    def _settle(self, done: Callable[[bool], object]) -> None:
        self._settling.remove(done)
        done(True)

    def audit(self, org: str) -> list[dict[str, Any]]:
        """The durable audit log of an organisation, oldest first, as the management API shows it."""
        rows = self.store.audit(org, AuditQuery(limit=1_000_000))
        return [audit_json(row.entry) for row in reversed(rows)]

    def handle(self, event: events.Event, writes: Sequence[Write] = ()) -> None:
        """Give the core one event and do what it asks for. A core that raises takes its process along.

        ``writes`` become durable in the same transaction as the records that the event changes.
        """
        if self._core is None:
            return
        if isinstance(event, events.Closed):
            self._sockets.pop(event.conn, None)
        self.handled += 1
        try:
            effects = self._core.handle(event, self._now_ns, self.now_ms)
        except Exception as failure:  # noqa: BLE001 - whatever escapes a relay's core ends that relay, not the world
            self.kill()
            self.crashed(failure)
            return
        self._execute(effects, writes)
        self._arm()

    # ---- what goes out

    def _execute(self, effects: Sequence[Effect], writes: Sequence[Write] = ()) -> None:
        """In order; what follows a `Save` or `Audit` waits until that transaction is durable (AUD-5)."""
        batch = list(writes)
        held: list[Effect] = []
        holding = False
        for effect in effects:
            if isinstance(effect, Save | Audit):
                holding = True
                batch.append(stored_write(effect, self.core, self.now_ms, self.next_audit_id))
            elif holding:
                held.append(effect)
            else:
                self._do(effect)
        if batch:
            self._writer.submit([*batch, ClockReading(self._now_ns)], partial(self._stored, held))

    def _stored(self, held: Sequence[Effect]) -> None:
        self._begun = True
        self._release(held)

    def _release(self, effects: Sequence[Effect]) -> None:
        for effect in effects:
            if self._core is not None and self._core.wants(effect):
                self._do(effect)

    def next_audit_id(self) -> str:
        return f"audit-{next(self._audit_ids)}"

    def _do(self, effect: Effect) -> None:
        match effect:
            case Send(conn, _, _, data) if conn in self._sockets:
                self._sockets[conn].send_text(data)
            case SendPing(conn, payload) if conn in self._sockets:
                self._sockets[conn].send_ping(payload)
            case Close(conn, code, reason) if conn in self._sockets:
                self._sockets.pop(conn).close(code, reason)
                self._clock.call(0, self.handle, events.Closed(conn, f"closed by the relay: {reason}"))
            case CallDone(call_id) if call_id in self._calls:
                self._calls.pop(call_id)(effect)
            case Log(level, event, fields):
                self.log_lines.append(msgspec.json.encode({"level": level, "event": event, **fields}).decode())
            case _:  # its connection or caller has gone meanwhile
                pass

    def _beat(self) -> None:
        """The reading of its clock that a process commits each second while a grace period runs, as of the last one.

        Only a kill makes it matter, so it costs nothing before. It goes through the same writer as everything: what
        waits behind a commit is no more durable than that. Until the start's own transaction is durable, the deadlines
        in the store belong to the clock of the process before, and no reading may go ahead of them.
        """
        if not self._begun:
            return
        stored = self.store.load()
        settled_ns = self._writer.settled_ns
        since_ns = self._clock.now_ns - settled_ns + (settled_ns - self._started_ns) % SECOND_NS
        beat_ns = self._now_ns - since_ns
        graces = any(record.status is Status.DISCONNECTED for record in stored.executors)
        if graces and beat_ns > stored.clock_ns:
            self.store.commit([ClockReading(beat_ns)])

    def _commit_ns(self) -> int:
        """0.3 to 1.5 ms: what a group commit with fsync was measured to take on an SSD."""
        return self._random.randrange(300_000, 1_500_000)

    # ---- time

    @property
    def _now_ns(self) -> int:
        return self._clock.now_ns + self._offset_ns

    @property
    def now_ms(self) -> int:
        return _EPOCH_MS + self._clock.now_ns // 1_000_000 + self.wall_step_ms

    def _arm(self) -> None:
        if self._core is None or (due_ns := self._core.next_due_ns) is None:
            return
        if self._armed_ns is None or due_ns < self._armed_ns:
            self._armed_ns = due_ns
            delay_ns = max(due_ns - self._now_ns, 0)
            if delay_ns == 0 and self._ticked_ns == self._now_ns:
                delay_ns = _STUCK_NS
            self._clock.call(delay_ns, self._tick, self._core, due_ns)

    def _tick(self, core: Core, due_ns: int) -> None:
        if self._core is not core or self._armed_ns != due_ns:
            return  # armed for a core that has died, or for a deadline that an earlier one replaced
        self._armed_ns = None
        if core.next_due_ns is None or core.next_due_ns > self._now_ns:
            self._arm()
        else:
            self._ticked_ns = self._now_ns
            self.handle(events.Tick())
