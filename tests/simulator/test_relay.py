"""The driver: what waits for durability, what a kill takes along, and what a stuck or crashing core does."""

from __future__ import annotations

from random import Random
from typing import Any

from reference_relay.core import events
from reference_relay.core.config import CoreConfig
from reference_relay.core.core import Core
from reference_relay.core.effects import Audit, Close, Effect, Send, SendPing
from reference_relay.core.records import AppKey, Settings
from simulator.clock import SECOND_NS, Clock
from simulator.link import Link
from simulator.relay import Relay
from simulator.socket import Socket

APP = AppKey("local", "shop")


class Line:
    """An executor's end that only remembers."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.seen: list[tuple[str, Any]] = []
        self.socket: Socket | None = None

    def upgraded(self, socket: Socket) -> None:
        self.socket = socket
        self.seen.append(("upgraded", socket.conn))

    def refused(self, status: int) -> None:
        self.seen.append(("refused", status))

    def text(self, data: bytes) -> None:
        self.seen.append(("text", data))

    def ping(self, payload: bytes) -> None:
        self.seen.append(("ping", payload))

    def pong(self, payload: bytes) -> None:
        self.seen.append(("pong", payload))

    def close(self, code: int, reason: str) -> None:
        self.seen.append(("close", code))

    def lost(self) -> None:
        self.seen.append(("lost", None))


class Scripted(Core):
    """Answers each text with a ping, an audit entry and a frame, in this order; sends nothing by itself."""

    def wants(self, effect: Effect) -> bool:
        return True

    def handle(self, event: events.Event, now_ns: int, now_ms: int = 0) -> list[Effect]:
        match event:
            case events.Text(conn, b"close"):
                return [Close(conn, 1008, "asked to")]
            case events.Text(_, b"crash"):
                raise ZeroDivisionError("the core is broken")
            case events.Text(conn):
                return [
                    SendPing(conn, b"first"),
                    Audit("local", "executor.recover", True, "shop", {}),
                    Send(conn, "recovery", "r", b"{}"),
                ]
            case events.PutApplication():
                return super().handle(event, now_ns, now_ms)
        return []


class Stuck(Core):
    """Its deadline stays where it was, whatever happens."""

    ticks = 0

    @property
    def next_due_ns(self) -> int | None:
        return 1

    def handle(self, event: events.Event, now_ns: int, now_ms: int = 0) -> list[Effect]:
        type(self).ticks += isinstance(event, events.Tick)
        return []


def _relay(core: type[Core]) -> tuple[Clock, Relay]:
    clock = Clock()
    relay = Relay(clock, Random(1), core, CoreConfig())
    relay.start()
    return clock, relay


def _dial(clock: Clock, relay: Relay) -> Line:
    line = Line(clock)
    link = Link(clock, lambda: 1000)
    link.up(relay.dialled, APP, link, line)
    clock.run(until=clock.timeout(10_000))
    return line


def _open(core: type[Core] = Scripted) -> tuple[Clock, Relay, Line, Socket]:
    clock, relay = _relay(core)
    relay.handle(events.PutApplication(APP, "id", Settings()))
    line = _dial(clock, relay)
    assert line.socket is not None
    line.seen.clear()
    return clock, relay, line, line.socket


def test_an_unknown_application_is_refused() -> None:
    clock, relay = _relay(Scripted)
    assert _dial(clock, relay).seen == [("refused", 404)]


def test_a_relay_that_is_down_answers_nothing() -> None:
    clock, relay = _relay(Scripted)
    relay.kill()
    assert _dial(clock, relay).seen == [("refused", 0)]


def test_what_follows_an_audit_entry_leaves_once_it_is_durable() -> None:
    clock, relay, line, socket = _open()
    clock.run(until=clock.timeout(SECOND_NS))
    socket.receive_text(b"{}")
    clock.run(until=clock.timeout(50_000))
    assert line.seen == [("ping", b"first")]
    assert relay.audit("local") == []
    clock.run(until=clock.timeout(2_000_000))
    assert line.seen == [("ping", b"first"), ("text", b"{}")]
    assert [entry["operation"] for entry in relay.audit("local")] == ["executor.recover"]


def test_a_kill_before_that_loses_the_entry_and_the_frame() -> None:
    clock, relay, line, socket = _open()
    clock.run(until=clock.timeout(SECOND_NS))
    socket.receive_text(b"{}")
    clock.call(50_000, relay.kill)
    clock.run(until=clock.timeout(SECOND_NS))
    assert line.seen == [("ping", b"first"), ("lost", None)]
    assert relay.audit("local") == []


def test_a_new_process_starts_from_what_is_durable_on_a_clock_of_its_own() -> None:
    clock, relay, _, _ = _open()
    clock.run(until=clock.timeout(SECOND_NS))
    first = relay.core
    relay.kill()
    assert not relay.up
    relay.start()
    assert relay.core is not first
    assert APP in relay.core.applications


def test_the_sockets_of_a_dead_process_are_deaf() -> None:
    """A new process numbers its connections anew: nothing of an old one may pass for them."""
    clock, relay, line, socket = _open()
    clock.run(until=clock.timeout(SECOND_NS))  # the application is durable
    relay.kill()
    relay.start()
    newcomer = _dial(clock, relay)
    assert newcomer.seen == [("upgraded", socket.conn)]
    socket.receive_text(b"{}")
    clock.run(until=clock.timeout(SECOND_NS))
    assert line.seen == [("lost", None)]
    assert newcomer.seen == [("upgraded", socket.conn)]


def test_a_close_of_the_core_reaches_the_executor_and_comes_back_as_closed() -> None:
    told: list[events.Event] = []

    class Listening(Scripted):
        def handle(self, event: events.Event, now_ns: int, now_ms: int = 0) -> list[Effect]:
            told.append(event)
            return super().handle(event, now_ns, now_ms)

    clock, _, line, socket = _open(Listening)
    socket.receive_text(b"close")
    clock.run(until=clock.timeout(SECOND_NS))
    assert line.seen == [("close", 1008)]
    assert told[-1] == events.Closed(1, "closed by the relay: asked to")


def test_a_core_that_raises_takes_its_process_along() -> None:
    clock, relay, line, socket = _open()
    crashes: list[Exception] = []
    relay.crashed = crashes.append
    socket.receive_text(b"crash")
    clock.run(until=clock.timeout(SECOND_NS))
    assert not relay.up
    assert line.seen == [("lost", None)]
    assert [type(crash) for crash in crashes] == [ZeroDivisionError]


def test_a_core_whose_deadline_never_moves_does_not_stop_time() -> None:
    clock, _ = _relay(Stuck)
    clock.run(until=SECOND_NS // 100)
    assert 5 <= Stuck.ticks <= 11
