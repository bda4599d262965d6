"""Executors of the four SDKs: what they do on a silent, a refused and an ended connection, and with a request."""

from __future__ import annotations

import pytest

from scenarios.schedule import FaultAt
from simulator.clock import ns
from simulator.models.sdk import SDKS
from tests.simulator.fleets import Small, schedule


def _gives_up_s(language: str) -> float:
    """When an executor ends a connection on which it hears nothing any more, from its upgrade on."""
    small = Small(schedule(FaultAt("drop-from-relay", 1.0, "a"), executors=1, language=language))
    small.until(0.9)
    client = small.process("a").client
    assert client is not None and client.open
    opened_s = client.opened_ns / 1e9
    for tenth in range(10, 600):
        small.until(tenth / 10)
        if client.over:
            return tenth / 10 - opened_s
    raise AssertionError("it never gave up")


@pytest.mark.parametrize(("language", "after_s"), [("python", 40), ("typescript", 35), ("go", 30), ("java", 35)])
def test_pong_time_outs(language: str, after_s: float) -> None:
    """Measured: Python 40 s (ping at 20 s, 20 s more), TypeScript 35 s; Go 30 s and Java 35 s by their source."""
    assert _gives_up_s(language) == pytest.approx(after_s, abs=0.3)


@pytest.mark.parametrize(("language", "pause_s"), [("python", 1.0), ("typescript", 1.0), ("go", 0.0), ("java", 1.0)])
def test_redial_after_an_established_connection(language: str, pause_s: float) -> None:
    small = Small(schedule(FaultAt("reset", 10.0, "a"), executors=1, language=language))
    small.until(10.0 + pause_s - 0.01 if pause_s else 9.9)
    first = small.process("a").client
    small.until(10.0 + pause_s + 0.05)
    assert small.process("a").client is not first
    small.until(12.0)
    assert small.status("a") == "HEALTHY"


def test_failed_dials_go_backs_off_and_the_others_do_not() -> None:
    dials = {}
    for language in SDKS:
        small = Small(
            schedule(FaultAt("relay-away", 5.0, "relay", args={"down_s": 60.0}), executors=1, language=language)
        )
        small.until(64.0)
        dials[language] = small.fleet.next_conn()
    assert dials["go"] < 12 < 50 < min(dials[each] for each in ("python", "typescript", "java"))


@pytest.mark.parametrize("language", list(SDKS))
def test_no_process_comes_back_under_its_id(language: str) -> None:
    small = Small(schedule(FaultAt("restart", 10.0, "a"), executors=1, language=language))
    small.until(9.0)
    first = small.process("a").id
    small.until(20.0)
    assert small.process("a").id != first
    assert small.status("a", 2) == "HEALTHY" and small.status("a", 1) == "DISCONNECTED"


def test_a_paused_process_answers_when_it_goes_on() -> None:
    small = Small(schedule(FaultAt("pause", 5.0, "a", 15.0), executors=1))
    small.until(19.9)
    conn = small.monitor.open_conns()[0]
    assert small.clock.now_ns - conn.heard_ns > ns(14.0)
    small.until(20.1)
    assert small.clock.now_ns - conn.heard_ns < ns(0.2)
    assert small.broken == []


@pytest.mark.parametrize(("language", "silent"), [("python", False), ("go", True)])
def test_go_answers_no_ping_while_a_handler_runs(language: str, silent: bool) -> None:
    """The database is gone, and its recovery is tried again and again: Python's pongs go on, Go's do not."""
    small = Small(
        schedule(
            FaultAt("kill", 5.0, "a"), FaultAt("db-cut", 24.0, "database", 40.0), executors=2, language=language,
            duration_s=60.0,
        )
    )  # fmt: skip
    small.until(38.0)  # its own pings, at 20 and 40 s, would hide it
    conn = next(conn for conn in small.monitor.open_conns() if conn.asked)
    assert (small.clock.now_ns - conn.heard_ns > ns(10.0)) is silent


def test_typescript_refuses_a_recovery_without_its_database() -> None:
    small = Small(
        schedule(
            FaultAt("kill", 5.0, "a"), FaultAt("db-cut", 24.0, "database", 40.0), language="typescript", duration_s=60.0
        )
    )
    small.until(30.0)
    (death,) = small.monitor.deaths.values()
    assert death.asks[0].end == "refused"


def test_a_stopped_executor_says_goodbye_in_its_own_way() -> None:
    for language, told in (("python", "close"), ("java", "end")):
        small = Small(schedule(FaultAt("stop", 10.0, "a"), executors=1, language=language))
        small.until(10.1)
        assert not small.place("a").running and small.status("a") == "DISCONNECTED", told
