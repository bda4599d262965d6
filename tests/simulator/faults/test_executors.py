"""Faults of executors' processes."""

from __future__ import annotations

import pytest

from scenarios.schedule import FaultAt
from tests.simulator.fleets import Small, schedule


def test_kill() -> None:
    small = Small(schedule(FaultAt("kill", 5.0, "a")))
    small.until(5.1)
    assert not small.place("a").running and small.status("a") == "DISCONNECTED"
    small.until(60.0)
    assert not small.place("a").running and small.status("a") == "", "recovered, and never started again"


def test_kill_all() -> None:
    small = Small(schedule(FaultAt("kill-all", 5.0, "all", args={"down_s": 3.0})))
    small.until(5.1)
    assert not small.place("a").running and not small.place("b").running
    small.until(9.0)
    assert small.status("a", 2) == small.status("b", 2) == "HEALTHY"


def test_kill_after_ack() -> None:
    small = Small(schedule(FaultAt("kill-after-ack", 1.0, "b"), FaultAt("kill", 5.0, "a")))
    small.until(24.9)
    assert small.place("b").running
    small.until(25.2)
    assert not small.place("b").running and small.monitor.recoveries == 1


def test_stop_closes_in_good_order() -> None:
    small = Small(schedule(FaultAt("stop", 5.0, "a")))
    small.until(5.1)
    assert small.status("a") == "DISCONNECTED" and not small.place("a").running


def test_upgrade_comes_back_under_another_version() -> None:
    small = Small(schedule(FaultAt("upgrade", 5.0, "a", args={"version": "v9"})))
    small.until(8.0)
    assert small.process("a").version == "v9" and small.status("a", 2) == "HEALTHY"


def test_pause_is_silence_and_the_process_lives() -> None:
    small = Small(schedule(FaultAt("pause", 5.0, "a", 60.0)))
    small.until(40.0)
    assert small.status("a") == "DISCONNECTED" and small.place("a").running
    small.until(70.0)
    assert small.status("a") == "HEALTHY" and small.process("a").id.endswith("a.1")


def test_starve_slows_and_heals() -> None:
    small = Small(schedule(FaultAt("starve", 5.0, "a", 10.0, {"share": 0.1})))
    small.until(6.0)
    assert small.process("a").slowness == pytest.approx(10.0)
    small.until(16.0)
    assert small.process("a").slowness == 1.0


def test_late_start() -> None:
    small = Small(schedule(FaultAt("late-start", 0.0, "b", 30.0)))
    small.until(29.0)
    assert small.place("b").process is None
    small.until(31.0)
    assert small.status("b") == "HEALTHY"


def test_duplicate_recovery_reaches_a_second_peer() -> None:
    struck = FaultAt("duplicate-recovery", 1.0, "c", args={"after_s": 0.5})
    work = {"workflows": 2, "start_s": 1.0, "step_s": 60.0}
    small = Small(schedule(struck, FaultAt("kill", 8.0, "a"), executors=3, workload=work))
    small.until(40.0)
    assert small.fleet.duplicates == [] and small.broken == []


@pytest.mark.parametrize("how", ["false", "error"])
def test_refuse_recovery(how: str) -> None:
    small = Small(schedule(FaultAt("refuse-recovery", 1.0, "b", 50.0, {"how": how}), FaultAt("kill", 5.0, "a")))
    small.until(45.0)
    (death,) = small.monitor.deaths.values()
    assert len(death.asks) > 2 and {ask.end for ask in death.asks} == {"refused"}
    small.until(90.0)
    assert small.monitor.deaths == {} and small.broken == []


def test_lying_ack_leaves_the_work_where_it_is() -> None:
    work = {"workflows": 2, "start_s": 1.0, "step_s": 60.0, "queued": 0.0}
    small = Small(schedule(FaultAt("lying-ack", 1.0, "b", 40.0), FaultAt("kill", 8.0, "a"), workload=work))
    small.until(38.0)
    (death,) = small.monitor.deaths.values()
    assert death.left is True and small.fleet.database.recoveries == 0
    small.until(95.0)
    assert small.fleet.database.recoveries > 0


def test_deaf_peers_are_asked_until_their_deadline() -> None:
    small = Small(schedule(FaultAt("deaf", 1.0, "b", 60.0), FaultAt("kill", 5.0, "a")))
    small.until(42.0)
    (death,) = small.monitor.deaths.values()
    assert [ask.end for ask in death.asks][:1] == ["timeout"] and small.status("b") == "HEALTHY"


def test_late_answers_count() -> None:
    small = Small(schedule(FaultAt("late-answer", 1.0, "b", 25.0, {"after_s": 17.0}), FaultAt("kill", 5.0, "a")))
    small.until(80.0)
    assert small.monitor.deaths == {} and small.broken == []


@pytest.mark.parametrize("what", ["answer", "again", "another", "pongs", "malformed", "binary"])
def test_stray_frames(what: str) -> None:
    small = Small(schedule(FaultAt("stray", 5.0, "a", args={"what": what})))
    small.until(4.9)
    first = small.process("a").client
    small.until(10.0)
    assert (small.process("a").client is first) is (what not in ("malformed", "binary"))
    assert small.status("a") == "HEALTHY" and small.broken == []


@pytest.mark.parametrize("how", ["silent", "id", "type", "error", "nameless"])
def test_a_bad_handshake_registers_nobody(how: str) -> None:
    small = Small(schedule(FaultAt("bad-handshake", 5.0, "a", args={"how": how})))
    small.until(25.0)
    strangers = [conn for conn in small.monitor.open_conns() if conn.key is None]
    assert len(strangers) == 1 and len(small.monitor.shown) == 2
    small.until(31.0)
    assert strangers[0].ended_ns is not None, "closed by the handshake's deadline"


def test_a_twin_supersedes_the_first() -> None:
    small = Small(schedule(FaultAt("twin", 5.0, "a")))
    small.until(6.0)
    assert len(small.monitor.open_conns()) == 2 and small.status("a") == "HEALTHY" and small.monitor.recoveries == 0


def test_settings() -> None:
    small = Small(
        schedule(FaultAt("settings", 5.0, "a", args={"grace_s": 7, "latest": "on"}), FaultAt("kill", 10.0, "a"))
    )
    small.until(16.9)
    assert small.status("a") == "DISCONNECTED"
    small.until(17.2)
    assert small.status("a") in ("DEAD", "") and next(iter(small.fleet.settings.values())).recover_to_latest_version


def test_wrong_answers_are_no_success() -> None:
    for how in ("type", "error"):
        small = Small(
            schedule(
                FaultAt("wrong-answer", 1.0, "b", 40.0, {"how": how}), FaultAt("kill", 5.0, "a"),
            )
        )  # fmt: skip
        small.until(40.0)
        assert len(small.monitor.deaths) == 1, how
        small.until(95.0)
        assert small.monitor.deaths == {} and small.broken == []


def test_kill_at_step() -> None:
    work = {"workflows": 4, "start_s": 2.0, "steps": 3, "step_s": 2.0, "queued": 0.0, "sleeping": 0.0, "children": 0.0}
    small = Small(schedule(FaultAt("kill-at-step", 0.5, "a", args={"step": 2}), workload=work))
    small.until(20.0)
    dead = small.fleet.gone[0]
    assert dead.endswith("a.1")
    assert {entry["step"] for entry in small.fleet.database.ledger if entry["executor_id"] == dead} == {"s1"}
