"""Group commit: order, durability before `done`, patience, and a loud end."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from types import SimpleNamespace

import pytest

from reference_relay.errors import StoreUnavailable
from reference_relay.store import Clock, Write
from reference_relay.store.memory import MemoryStore
from reference_relay.store.writer import GroupWriter


class Slow(MemoryStore):
    """Commits when told to, and fails as often as told."""

    def __init__(self, failures: Sequence[Exception] = ()) -> None:
        super().__init__()
        self.go = threading.Event()
        self.began = threading.Event()
        self.failures = list(failures)
        self.batches: list[list[Write]] = []

    def commit(self, writes: Sequence[Write]) -> None:
        self.began.set()
        assert self.go.wait(10)
        if self.failures:
            raise self.failures.pop(0)
        self.batches.append(list(writes))


def call_all(durable: Sequence[Callable[[], None]]) -> None:
    for done in durable:
        done()


def fail(reason: object) -> None:
    raise AssertionError(f"unexpected: {reason}")


def test_what_waits_while_a_commit_runs_goes_together_in_order() -> None:
    store = Slow()
    writer = GroupWriter(store, deliver=call_all, on_trouble=fail, on_failure=fail)
    done: list[int] = []
    writer.submit([Clock(0)], lambda: done.append(0))
    assert store.began.wait(10)
    for number in range(1, 50):
        writer.submit([Clock(number)], lambda number=number: done.append(number))  # type: ignore[misc]
    assert done == []
    store.go.set()
    assert writer.close()
    assert [[write.now_ns for write in batch] for batch in store.batches] == [[0], list(range(1, 50))]  # type: ignore[union-attr]
    assert done == list(range(50))


def test_a_store_that_is_away_is_tried_again_and_told_once() -> None:
    store = Slow([StoreUnavailable("disk full"), StoreUnavailable("disk full")])
    store.go.set()
    troubles: list[str] = []
    finished = threading.Event()
    writer = GroupWriter(store, deliver=call_all, on_trouble=troubles.append, on_failure=fail, retry_s=0.001)
    writer.submit([Clock(1)], finished.set)
    assert finished.wait(10)
    assert troubles == ["disk full"]
    assert store.batches == [[Clock(1)]]
    assert writer.close()


def test_any_other_failure_ends_it_loudly_and_nothing_is_called_done() -> None:
    store = Slow([ValueError("impossible")])
    store.go.set()
    failed: list[BaseException] = []
    writer = GroupWriter(store, deliver=call_all, on_trouble=fail, on_failure=failed.append)
    writer.submit([Clock(1)], lambda: fail("done"))
    assert writer.close()
    assert [str(failure) for failure in failed] == ["impossible"]


def test_a_small_group_close_behind_another_waits_for_more(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Slow()
    store.go.set()
    lingered: list[float] = []

    def sleep(for_s: float) -> None:
        lingered.append(for_s)
        writer.submit([Clock(2)], lambda: None)  # comes while it lingers

    monkeypatch.setattr("reference_relay.store.writer.time", SimpleNamespace(monotonic=lambda: 0.0, sleep=sleep))
    writer = GroupWriter(store, deliver=call_all, on_trouble=fail, on_failure=fail)
    finished = threading.Event()
    writer.submit([Clock(1)], finished.set)
    assert finished.wait(10)
    assert store.batches[0] == [Clock(1), Clock(2)]
    assert 0 < lingered[0] <= 0.005
    monkeypatch.undo()
    assert writer.close()


def test_a_lone_batch_waits_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = itertools.count(1.0)  # between one look at the clock and the next
    clock = SimpleNamespace(monotonic=lambda: next(seconds), sleep=fail)
    monkeypatch.setattr("reference_relay.store.writer.time", clock)
    store = Slow()
    store.go.set()
    writer = GroupWriter(store, deliver=call_all, on_trouble=fail, on_failure=fail)
    for number in range(3):
        finished = threading.Event()
        writer.submit([Clock(number)], finished.set)
        assert finished.wait(10)
    assert len(store.batches) == 3
    assert writer.close()
