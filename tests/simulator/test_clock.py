"""The clock is SimPy's, its time is whole nanoseconds, and its order is total."""

from __future__ import annotations

import pytest
import simpy
from simpy.core import EmptySchedule

from simulator.clock import SECOND_NS, Clock, ns
from simulator.errors import Stalled


def test_the_clock_is_simpys_environment() -> None:
    assert isinstance(Clock(), simpy.Environment)


def test_simpy_processes_conditions_and_resources_work_on_it() -> None:
    clock = Clock()
    desk = simpy.Resource(clock, capacity=1)
    seen: list[tuple[str, int]] = []

    def customer(name: str):  # type: ignore[no-untyped-def]  # a SimPy process
        with desk.request() as request:
            yield request
            yield clock.timeout(3) | clock.timeout(5)
            seen.append((name, clock.now_ns))

    clock.process(customer("first"))
    clock.process(customer("second"))
    clock.run()
    assert seen == [("first", 3), ("second", 6)]


def test_what_is_due_at_once_happens_in_the_order_of_scheduling() -> None:
    clock = Clock()
    seen: list[str] = []
    clock.call(7, seen.append, "a")
    clock.timeout(7).callbacks.append(lambda event: seen.append("b"))
    clock.call(7, seen.append, "c")
    clock.call(0, seen.append, "before")
    clock.run()
    assert seen == ["before", "a", "b", "c"]


def test_a_call_at_delay_zero_comes_after_what_is_due_now() -> None:
    clock = Clock()
    seen: list[str] = []

    def first() -> None:
        clock.call(0, seen.append, "third")
        seen.append("first")

    clock.call(5, first)
    clock.call(5, seen.append, "second")
    clock.run()
    assert seen == ["first", "second", "third"]
    assert clock.now_ns == 5


def test_run_until_a_time_leaves_out_what_is_due_then() -> None:
    clock = Clock()
    seen: list[int] = []
    for at_ns in (1, 2, 3):
        clock.call(at_ns, seen.append, at_ns)
    clock.run(until=3)
    assert (seen, clock.now_ns) == ([1, 2], 3)
    clock.run()
    assert seen == [1, 2, 3]


def test_run_until_an_event_gives_its_value_or_raises_its_failure() -> None:
    clock = Clock()
    assert clock.run(until=clock.timeout(4, value="there")) == "there"
    failing = clock.event()
    clock.call(1, failing.fail, ValueError("broken"))
    with pytest.raises(ValueError, match="broken"):
        clock.run(until=failing)


def test_an_event_that_can_not_come_any_more_is_an_error() -> None:
    clock = Clock()
    with pytest.raises(Stalled, match="still awaited"):
        clock.run(until=clock.event())


def test_a_failure_that_nobody_takes_up_ends_the_simulation() -> None:
    clock = Clock()
    clock.event().fail(KeyError("lost"))
    with pytest.raises(KeyError, match="lost"):
        clock.run()


def test_time_is_whole_nanoseconds() -> None:
    clock = Clock()
    with pytest.raises(AssertionError, match="whole nanoseconds"):
        clock.timeout(0.5)
    with pytest.raises(AssertionError, match="backwards"):
        clock.call(-1, print)
    assert ns(0.1) + ns(0.2) == ns(0.3) == 3 * SECOND_NS // 10


def test_step_takes_one_and_tells_when_there_is_none() -> None:
    clock = Clock()
    seen: list[int] = []
    clock.call(1, seen.append, 1)
    clock.call(2, seen.append, 2)
    clock.step()
    assert seen == [1]
    clock.step()
    with pytest.raises(EmptySchedule):
        clock.step()
