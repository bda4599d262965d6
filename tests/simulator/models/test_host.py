"""Clocks of one host: drift, sleep, and that no reading ever goes back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from simulator.clock import Clock, ns
from simulator.models.host import HostClock


def _after(clock: Clock, seconds: float) -> None:
    clock.run(until=clock.now_ns + ns(seconds))


def test_drift_changes_the_pace_and_no_reading() -> None:
    clock = Clock()
    host = HostClock(clock, offset_ns=100)
    _after(clock, 10)
    before = host.now_ns
    host.drift(1000)
    assert host.now_ns == before
    _after(clock, 100)
    assert host.now_ns - before == ns(100.1)
    assert abs(host.true_ns(ns(100.1)) - ns(100)) <= 1


def test_a_sleeping_host_stands_still() -> None:
    clock = Clock()
    host = HostClock(clock)
    _after(clock, 5)
    host.sleep()
    _after(clock, 60)
    assert host.now_ns == ns(5)
    host.wake()
    host.wake()  # a second one changes nothing
    _after(clock, 1)
    assert host.now_ns == ns(6)


@given(st.lists(st.tuples(st.sampled_from(["drift", "sleep", "wake"]), st.integers(-2000, 2000), st.integers(0, 50))))
def test_no_reading_goes_back(acts: list[tuple[str, int, int]]) -> None:
    clock = Clock()
    host = HostClock(clock)
    last = host.now_ns
    for act, ppm, seconds in acts:
        match act:
            case "drift" if not host.asleep:
                host.drift(ppm)
            case "sleep":
                host.sleep()
            case "wake":
                host.wake()
        _after(clock, seconds)
        assert host.now_ns >= last
        last = host.now_ns
