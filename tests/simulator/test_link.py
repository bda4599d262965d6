"""Links keep the order of each direction and delay everything; the writer makes durable in groups."""

from __future__ import annotations

from random import Random

from reference_relay.core.records import AppKey, Application, Settings
from reference_relay.store import SaveRecord
from reference_relay.store.memory import MemoryStore
from simulator.clock import Clock
from simulator.link import Latency, Link
from simulator.writer import Writer


def test_latency_is_seeded_and_within_its_bounds() -> None:
    draws = [Latency(Random(3), 100, 200)() for _ in range(2)]
    assert draws[0] == draws[1]
    latency = Latency(Random(3))
    assert all(200_000 <= latency() <= 1_000_000 for _ in range(1000))


def test_nothing_overtakes_anything_on_its_way() -> None:
    clock, delays = Clock(), iter([900, 100, 500])
    link = Link(clock, lambda: next(delays))
    seen: list[tuple[str, int]] = []
    for name in ("first", "second", "third"):
        link.up(lambda name: seen.append((name, clock.now_ns)), name)
    clock.run()
    assert seen == [("first", 900), ("second", 900), ("third", 900)]


def test_the_directions_do_not_wait_for_each_other() -> None:
    clock, delays = Clock(), iter([900, 100])
    link = Link(clock, lambda: next(delays))
    seen: list[str] = []
    link.up(seen.append, "up")
    link.down(seen.append, "down")
    clock.run()
    assert seen == ["down", "up"]


def test_an_end_that_does_not_read_gets_everything_later_in_order() -> None:
    clock = Clock()
    link = Link(clock, lambda: 10)
    seen: list[str] = []
    link.read(False)
    link.down(seen.append, "first")
    link.down(seen.append, "second")
    clock.run()
    assert seen == []
    link.read(True)
    assert seen == ["first", "second"]


def _application(name: str) -> SaveRecord:
    key = AppKey("local", name)
    return SaveRecord("applications", key, Application(key, name, Settings()))


def test_what_comes_in_during_a_commit_goes_into_the_next_one_together() -> None:
    clock, store = Clock(), MemoryStore()
    writer = Writer(clock, store, lambda: 100)
    done: list[tuple[str, int]] = []
    for at_ns, name in ((0, "a"), (10, "b"), (20, "c")):
        clock.call(
            at_ns, lambda name: writer.submit([_application(name)], lambda: done.append((name, clock.now_ns))), name
        )
    clock.run()
    assert done == [("a", 100), ("b", 200), ("c", 200)]
    assert [row.app_id for row in store.load().applications] == ["a", "b", "c"]


def test_a_kill_loses_what_is_not_durable_and_calls_nobody() -> None:
    clock, store = Clock(), MemoryStore()
    writer = Writer(clock, store, lambda: 100)
    done: list[str] = []
    writer.submit([_application("a")], lambda: done.append("a"))
    clock.call(150, lambda: writer.submit([_application("b")], lambda: done.append("b")))
    clock.call(240, writer.kill)
    clock.run()
    assert done == ["a"]
    assert [row.app_id for row in store.load().applications] == ["a"]


def test_it_is_busy_until_what_came_during_a_commit_is_durable_too() -> None:
    clock = Clock()
    writer = Writer(clock, MemoryStore(), lambda: 100)
    seen: list[int] = []
    assert not writer.busy
    writer.submit([_application("a")], lambda: None)
    assert writer.busy
    writer.submit((), lambda: seen.append(clock.now_ns))
    clock.run()
    assert seen == [200]
    assert not writer.busy
