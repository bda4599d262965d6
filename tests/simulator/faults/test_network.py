"""Faults of links: who notices, and when."""

from __future__ import annotations

import pytest

from scenarios.schedule import FaultAt
from scenarios.schedule.kind import Value
from simulator.clock import ns
from tests.simulator.fleets import Small, schedule


@pytest.mark.parametrize(
    ("fault", "args"),
    [
        ("disconnect", {}),
        ("drop-to-relay", {}),
        ("freeze", {"direction": "up"}),
        ("freeze", {}),
    ],
)
def test_silence_is_found_by_its_deadline_and_heals(fault: str, args: dict[str, Value]) -> None:
    small = Small(schedule(FaultAt(fault, 21.0, "a", 40.0, args)))
    small.until(43.0)
    assert small.status("a") == "HEALTHY"
    small.until(60.0)
    assert small.status("a") == "DISCONNECTED"
    small.until(100.0)
    assert small.process("a").client is not None
    assert {small.status("a", 1), small.status("b", 1)} == {"HEALTHY"} and small.broken == []


def test_an_executor_that_hears_nothing_gives_up_by_itself() -> None:
    """Its own pings go on meanwhile, so that the relay has nothing to notice."""
    small = Small(schedule(FaultAt("drop-from-relay", 21.0, "a", 45.0)))
    small.until(59.0)
    assert small.status("a") == "HEALTHY"
    small.until(61.0)
    assert small.status("a") == "DISCONNECTED"
    small.until(100.0)
    assert small.status("a") == "HEALTHY" and small.broken == []


@pytest.mark.parametrize("fault", ["cut", "reset"])
def test_an_end_that_is_told_is_noticed_at_once(fault: str) -> None:
    small = Small(schedule(FaultAt(fault, 10.0, "a")))
    small.until(10.1)
    assert small.status("a") == "DISCONNECTED"
    small.until(12.0)
    assert small.status("a") == "HEALTHY"


@pytest.mark.parametrize("args", [{"frames": 3}, {"bytes": 30}])
def test_cut_after(args: dict[str, Value]) -> None:
    small = Small(schedule(FaultAt("cut-after", 5.0, "a", args=args)))
    small.until(5.5)
    first = small.process("a").client
    assert first is not None and first.open
    small.until(45.0)
    assert small.process("a").client is not first and small.status("a") == "HEALTHY"


def test_half_open_the_relay_is_never_told() -> None:
    small = Small(schedule(FaultAt("half-open", 10.0, "a")))
    small.until(10.5)
    assert len(small.monitor.open_conns()) == 2, "the relay still has the first"
    small.until(12.0)
    assert len(small.monitor.open_conns()) == 2 and small.status("a") == "HEALTHY", "superseded by the second"


def test_late_close() -> None:
    small = Small(schedule(FaultAt("late-close", 10.0, "a", args={"late_s": 0.4})))
    small.until(10.3)
    assert small.status("a") == "HEALTHY"
    small.until(10.6)
    assert small.status("a") == "DISCONNECTED"


def test_proxy_idle() -> None:
    small = Small(schedule(FaultAt("proxy-idle", 1.0, "a", 60.0, {"idle_s": 4.0})))
    small.until(20.0)
    assert small.fleet.next_conn() > 3, "pings come every 10 s only"
    assert small.broken == []


@pytest.mark.parametrize(("fault", "args"), [("loss", {"rate": 0.3}), ("delay", {"delay_s": 2.0, "jitter_s": 0.5})])
def test_slow_links_kill_nobody(fault: str, args: dict[str, Value]) -> None:
    small = Small(schedule(FaultAt(fault, 5.0, "a", 80.0, args)))
    small.until(100.0)
    assert small.status("a") == "HEALTHY" and small.broken == []
    assert small.place("a").path.delay_ns() == small.place("a").path.latency_ns, "healed"


def test_a_reset_loses_what_is_on_its_way() -> None:
    small = Small(schedule(FaultAt("reset", 10.0, "a")))
    small.until(10.0 + 0.0001)
    assert small.clock.now_ns == ns(10.0001)
