"""The hub against a core that says exactly what a test wants: order, durability, timers."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import pytest

from reference_relay.core.core import Core, Stored
from reference_relay.core.effects import Audit, CallDone, Close, Effect, Outcome, Save, Send, SendPing
from reference_relay.core.events import Call, CallAbandoned, CloseConnections, Event, Opened, Tick
from reference_relay.core.records import AppKey, Application, Executor, ExecutorInfo, ExecutorKey, Settings, Status
from reference_relay.server.hub import Hub
from reference_relay.store import AuditQuery, Clock, Write
from reference_relay.store.memory import MemoryStore

SHOP = AppKey("acme", "shop")
E1 = ExecutorKey("acme", "shop", "e1")


class ScriptedCore(Core):
    """Answers each event with the effects that the test laid down for its type."""

    def __init__(self) -> None:
        super().__init__()
        self.script: dict[type, list[Effect]] = {}
        self.events: list[Event] = []
        self.due_ns: int | None = None
        self.given_up: set[Effect] = set()

    def wants(self, effect: Effect) -> bool:
        return effect not in self.given_up

    def handle(self, event: Event, now_ns: int, now_ms: int = 0) -> list[Effect]:
        self.events.append(event)
        if isinstance(event, Tick):
            self.due_ns = None
        return self.script.get(type(event), [])

    @property
    def next_due_ns(self) -> int | None:
        return self.due_ns


class GatedStore(MemoryStore):
    """Commits only while its gate is open."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.batches: list[list[Write]] = []

    def commit(self, writes: Sequence[Write]) -> None:
        assert self.gate.wait(10)
        self.batches.append(list(writes))
        super().commit(writes)


class FakePeer:
    key = ("acme", "admin")
    address = "127.0.0.1"

    def __init__(self) -> None:
        self.did: list[object] = []
        self.progress = True

    def send(self, data: bytes) -> None:
        self.did.append(data)

    def ping(self, payload: bytes) -> None:
        self.did.append(("ping", payload))

    def end(self, code: int, reason: str) -> None:
        self.did.append(("end", code))

    def trust(self) -> None:
        self.did.append("trusted")

    def check_progress(self) -> bool:
        self.did.append("checked")
        return self.progress


class Bench:
    def __init__(self) -> None:
        self.core = ScriptedCore()
        self.store = GatedStore()
        self.failures: list[BaseException] = []
        self.hub = Hub(self.core, self.store, self.failures.append)
        self.peer = FakePeer()


def run(test: Callable[[Bench], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        bench = Bench()
        try:
            await asyncio.wait_for(test(bench), 15)
        finally:
            bench.store.gate.set()
            bench.hub.stop()
            assert bench.hub.close()
        assert bench.failures == []

    asyncio.run(main())


async def until(seen: Callable[[], bool]) -> None:
    while not seen():  # noqa: ASYNC110 - what is awaited has no event of its own
        await asyncio.sleep(0.002)


def send(number: int, data: bytes) -> Send:
    return Send(number, "x", "r", data)


def executor(status: Status, conn: int | None = None) -> Executor:
    return Executor(E1, ExecutorInfo("e1", "v1"), status, conn, 0, 0)


AUDIT = Audit("acme", "executor.recover", True, "shop", {"executorId": "e1"})


def test_what_follows_a_save_waits_for_it_and_what_precedes_it_does_not() -> None:
    async def test(bench: Bench) -> None:
        effects: list[Effect] = [
            send(1, b"before"),
            Save(E1, executor(Status.DEAD), "executors"),
            AUDIT,
            send(1, b"after"),
        ]
        bench.core.script[Opened] = [*effects, Close(1, 1000, "")]
        assert bench.hub.open(bench.peer, SHOP) == 1
        assert bench.peer.did == [b"before"]
        bench.core.script[Tick] = [SendPing(1, b"p")]
        bench.hub.feed(Tick())  # later, of another list, with nothing to wait for
        assert bench.peer.did == [b"before", ("ping", b"p")]
        bench.store.gate.set()
        await bench.hub.settled()
        assert bench.peer.did == [b"before", ("ping", b"p"), b"after", ("end", 1000)]
        ((_, entry, clock),) = [batch for batch in bench.store.batches if batch]
        assert isinstance(clock, Clock)
        (row,) = bench.store.audit("acme", AuditQuery())
        assert row.entry == entry
        assert row.entry.details == {"application_name": "shop", "executorId": "e1"}
        assert bench.hub.recoveries[SHOP, "success"] == 1

    run(test)


def test_what_was_given_up_while_it_was_held_stays() -> None:
    async def test(bench: Bench) -> None:
        bench.hub.open(bench.peer, SHOP)
        bench.core.script[Tick] = [AUDIT, send(1, b"given up"), send(1, b"wanted")]
        bench.hub.feed(Tick())
        bench.core.given_up.add(send(1, b"given up"))
        bench.store.gate.set()
        await bench.hub.settled()
        assert bench.peer.did == [b"wanted"]

    run(test)


def test_transactions_keep_their_order() -> None:
    async def test(bench: Bench) -> None:
        bench.hub.open(bench.peer, SHOP)
        for number in range(20):
            bench.core.script[Tick] = [AUDIT, send(1, b"%d" % number)]
            bench.hub.feed(Tick())
        assert bench.peer.did == []
        bench.store.gate.set()
        await bench.hub.settled()
        assert bench.peer.did == [b"%d" % number for number in range(20)]

    run(test)


def test_settled_waits_only_while_something_is_not_durable() -> None:
    async def test(bench: Bench) -> None:
        await bench.hub.settled()
        bench.core.script[Tick] = [AUDIT]
        bench.hub.feed(Tick())
        waiting = asyncio.ensure_future(bench.hub.settled())
        await asyncio.sleep(0.05)
        assert not waiting.done()
        bench.store.gate.set()
        await waiting
        assert len(bench.store.audit("acme", AuditQuery())) == 1

    run(test)


def test_a_call_gets_its_own_answer_and_an_abandoned_one_is_told_to_the_core() -> None:
    async def test(bench: Bench) -> None:
        calls = [asyncio.ensure_future(bench.hub.call(lambda n: Call(n, SHOP, "x", {}))) for _ in range(3)]
        await asyncio.sleep(0)
        bench.core.script[Tick] = [
            CallDone(3, Outcome.ANSWERED, b"3"),
            CallDone(1, Outcome.FAILED),
            CallDone(9, Outcome.FAILED),
        ]
        bench.hub.feed(Tick())
        assert (await calls[2]).data == b"3"
        assert (await calls[0]).outcome is Outcome.FAILED
        calls[1].cancel()
        with pytest.raises(asyncio.CancelledError):
            await calls[1]
        assert bench.core.events[-1] == CallAbandoned(2)
        assert bench.hub._calls == {}

    run(test)


def test_numbers_of_connections_are_never_used_again() -> None:
    async def test(bench: Bench) -> None:
        first = bench.hub.open(bench.peer, SHOP)
        bench.hub.forget(first)
        bench.core.script[Tick] = [send(first, b"to nobody")]
        assert bench.hub.open(FakePeer(), SHOP) == first + 1
        bench.hub.feed(Tick())
        assert bench.peer.did == []

    run(test)


def test_only_connections_of_a_revoked_key_are_closed() -> None:
    async def test(bench: Bench) -> None:
        bench.hub.open(bench.peer, SHOP)
        other = FakePeer()
        other.key = ("acme", "other")
        second = bench.hub.open(other, SHOP)
        bench.hub.close_key("acme", "other", "revoked")
        assert bench.core.events[-1] == CloseConnections((second,), "revoked")

    run(test)


def test_a_registered_executor_may_send_large_frames() -> None:
    async def test(bench: Bench) -> None:
        bench.hub.open(bench.peer, SHOP)
        bench.core.script[Tick] = [Save(E1, executor(Status.HEALTHY, 1), "executors")]
        bench.hub.feed(Tick())
        assert bench.peer.did == ["trusted"]

    run(test)


def test_the_timer_fires_when_due_and_not_before() -> None:
    async def test(bench: Bench) -> None:
        bench.core.due_ns = due_ns = time.monotonic_ns() + 80_000_000
        bench.hub.start(Stored())
        await until(lambda: bool(bench.core.events))
        assert time.monotonic_ns() >= due_ns
        assert bench.core.events == [Tick()]

    run(test)


def test_an_earlier_deadline_replaces_a_later_one() -> None:
    async def test(bench: Bench) -> None:
        bench.core.due_ns = time.monotonic_ns() + 3_600_000_000_000
        bench.hub.start(Stored())
        bench.core.due_ns = time.monotonic_ns()
        bench.hub.feed(Opened(9, SHOP))
        await until(lambda: Tick() in bench.core.events)

    run(test)


def test_the_clock_is_kept_while_somebody_is_disconnected_and_only_then() -> None:
    async def test(bench: Bench) -> None:
        bench.store.gate.set()
        bench.hub.start(Stored())
        await asyncio.sleep(1.3)
        assert bench.store.batches == []
        bench.core.script[Tick] = [Save(E1, executor(Status.DISCONNECTED), "executors")]
        bench.hub.feed(Tick())
        before = time.monotonic_ns()
        await until(lambda: bench.store.load().clock_ns >= before + 1_000_000_000)
        bench.core.script[Tick] = [Save(E1, None, "executors")]
        bench.hub.feed(Tick())
        await bench.hub.settled()
        count = len(bench.store.batches)
        await asyncio.sleep(1.3)
        assert len(bench.store.batches) == count

    run(test)


def test_watched_peers_are_checked_until_nothing_waits() -> None:
    async def test(bench: Bench) -> None:
        bench.hub.start(Stored())
        bench.hub.watch(bench.peer)
        await until(lambda: bench.peer.did.count("checked") >= 2)
        bench.peer.progress = False
        await asyncio.sleep(0.6)
        count = bench.peer.did.count("checked")
        await asyncio.sleep(0.6)
        assert bench.peer.did.count("checked") == count

    run(test)


def test_once_stopped_the_core_hears_nothing() -> None:
    async def test(bench: Bench) -> None:
        bench.hub.stop()
        bench.hub.feed(Tick())
        assert bench.core.events == []

    run(test)


def test_writes_of_the_driver_go_into_the_core_s_transaction() -> None:
    async def test(bench: Bench) -> None:
        bench.store.gate.set()
        application = Application(SHOP, "id", Settings())
        bench.core.script[Tick] = [Save(SHOP, application, "applications")]
        await bench.hub.apply(Tick(), [bench.hub._audit_entry(AUDIT)])
        batches = [batch for batch in bench.store.batches if batch]
        assert [len(batch) for batch in batches] == [3]  # entry, record, clock
        assert list(bench.store.load().applications) == [application]

    run(test)


def test_no_entry_with_a_key_reaches_the_store() -> None:
    key = "dbos_acme_0123456789abcdef0123"

    async def test(bench: Bench) -> None:
        bench.store.gate.set()
        pasted = Audit("acme", "executor.recover", False, "shop", {"executorId": key, "error": [f"not {key}", 7]})
        bench.core.script[Tick] = [pasted]
        await bench.hub.apply(Tick())
        (row,) = bench.store.audit("acme", AuditQuery())
        assert row.entry.details == {"application_name": "shop", "executorId": "<key>", "error": ["not <key>", 7]}

    run(test)
