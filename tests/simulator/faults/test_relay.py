"""Faults of the relay, its store, the database and clocks."""

from __future__ import annotations

import pytest

from evidence.verdict import FAILING
from reference_relay.core.core import Core
from scenarios.schedule import FaultAt
from simulator.search.play import play_whole
from tests.simulator.fleets import Small, schedule


def test_relay_kill_and_start() -> None:
    small = Small(schedule(FaultAt("relay-kill", 10.0, "relay", args={"down_s": 4.0})))
    small.until(12.0)
    assert not small.fleet.relay.up
    small.until(17.0)
    assert small.fleet.relay.up and small.status("a") == small.status("b") == "HEALTHY" and small.broken == []


def test_relay_away_kills_nobody() -> None:
    small = Small(schedule(FaultAt("relay-away", 5.0, "relay", args={"down_s": 60.0})))
    small.until(70.0)
    assert small.status("a") == small.status("b") == "HEALTHY" and small.monitor.recoveries == 0


def test_relay_and_executor_kill() -> None:
    small = Small(schedule(FaultAt("relay-and-executor-kill", 5.0, "a")))
    small.until(5.1)
    assert not small.fleet.relay.up and not small.place("a").running
    small.until(60.0)
    assert small.monitor.recoveries == 1 and small.status("a") == ""


@pytest.mark.parametrize("fault", ["relay-pause", "suspend"])
def test_a_relay_that_stood_still_blames_nobody(fault: str) -> None:
    small = Small(schedule(FaultAt(fault, 5.0, "relay", 50.0)))
    small.until(54.0)
    assert small.fleet.relay.paused
    small.until(95.0)
    assert small.status("a") == small.status("b") == "HEALTHY" and small.monitor.recoveries == 0 and small.broken == []


def test_suspend_of_an_executor() -> None:
    small = Small(schedule(FaultAt("suspend", 5.0, "a", 60.0)))
    small.until(40.0)
    assert small.status("a") == "DISCONNECTED" and small.place("a").host.asleep
    small.until(75.0)
    assert small.status("a") == "HEALTHY"


@pytest.mark.parametrize(("when", "kept"), [("before", 0), ("after", 1)])
def test_crash_at_persist(when: str, kept: int) -> None:
    """The first commit after the fault is that of a's disconnection."""
    crash = FaultAt("crash-at-persist", 5.0, "relay", args={"nth": 1, "when": when})
    small = Small(schedule(crash, FaultAt("kill", 6.0, "a")))
    small.until(6.5)
    assert not small.fleet.relay.up
    stored = [record for record in small.fleet.relay.store.load().executors if record.status == "DISCONNECTED"]
    assert len(stored) == kept
    small.until(60.0)
    assert small.fleet.relay.up and small.status("a") == "" and small.broken == []


@pytest.mark.parametrize(
    "fault", [FaultAt("store-slow", 5.0, "relay", 40.0), FaultAt("store-fail", 5.0, "relay", 40.0)]
)
def test_what_must_be_durable_waits_for_a_bad_store(fault: FaultAt) -> None:
    small = Small(schedule(fault, FaultAt("kill", 8.0, "a")))
    small.until(28.5)
    assert small.monitor.dispatched == {}, "no frame before its entry"
    small.until(80.0)
    assert sum(small.monitor.dispatched.values()) >= 1 and small.broken == []


def test_a_wall_clock_kills_nobody() -> None:
    for fault in (
        FaultAt("clock-step", 5.0, "relay", args={"step_s": 7200.0}),
        FaultAt("clock-step", 5.0, "relay", args={"step_s": -7200.0}),
        FaultAt("clock-skew", 5.0, "relay", 30.0),
        FaultAt("clock-drift", 5.0, "relay", 60.0),
    ):
        small = Small(schedule(fault))
        small.until(8.0)
        assert small.fleet.relay.host.wall_ms or small.fleet.relay.host.ppm
        small.until(80.0)
        assert small.status("a") == "HEALTHY" and small.broken == []


@pytest.mark.parametrize(
    "fault",
    [
        FaultAt("db-restart", 10.0, "database"), FaultAt("db-terminate", 10.0, "database"),
        FaultAt("db-cut", 10.0, "database", 15.0), FaultAt("db-slow", 10.0, "database", 30.0),
        FaultAt("db-cut-during-recovery", 10.0, "database", 15.0),
    ],
    ids=lambda fault: str(fault.fault),
)  # fmt: skip
def test_work_outlives_its_database(fault: FaultAt) -> None:
    work = {"workflows": 6, "start_s": 9.0, "steps": 3, "step_s": 3.0}
    given = schedule(fault, FaultAt("kill", 9.5, "a"), executors=3, workload=work, duration_s=60.0)
    _, played, result = play_whole(given, Core)
    assert played.moved > 0 and played.violations == ()
    assert not set(result.clauses.values()) & FAILING
