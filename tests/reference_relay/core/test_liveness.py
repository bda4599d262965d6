"""LIV clauses at the core's own seam: events in, effects out."""

from __future__ import annotations

import json

import pytest

from reference_relay.core import effects as fx
from reference_relay.core import events as ev
from reference_relay.core.config import NS
from reference_relay.core.records import AppKey
from tests.reference_relay.core.driving import APP, Driver


def test_pings_come_each_interval_from_the_time_they_were_due(drive: Driver) -> None:
    conn = drive.join("e1")
    drive.run(60)
    pings = [at for at, effect in drive.effects if isinstance(effect, fx.SendPing) and effect.conn == conn]
    assert pings == [110.0, 120.0, 130.0, 140.0, 150.0, 160.0]
    assert drive.status("e1") == "HEALTHY"


def test_missed_pings_are_not_made_up_for(drive: Driver) -> None:
    drive.join("e1")
    drive.now_ns += 4 * NS  # late, but less than what counts as a pause of the relay
    drive.run(0)
    drive.now_ns = 124 * NS
    before = len(drive.effects)
    drive.event(ev.Pong(1, b""))
    drive.event(ev.Tick())
    assert sum(isinstance(effect, fx.SendPing) for _, effect in drive.effects[before:]) == 1


def test_silence_is_declared_one_ping_wait_after_the_last_frame(drive: Driver) -> None:
    conn = drive.join("e1")
    drive.run(12)  # one ping, answered at 110
    drive.mute(conn)
    drive.run(22.9)
    assert drive.status("e1") == "HEALTHY"
    drive.run(0.2)
    assert drive.status("e1") == "DISCONNECTED"
    closed = [(at, e.conn) for at, e in drive.effects if isinstance(e, fx.Close)]
    assert closed == [(135.0, conn)]


@pytest.mark.parametrize("kind", ["text", "ping", "pong", "part of a message"])
def test_every_frame_is_a_sign_of_life(drive: Driver, kind: str) -> None:
    conn = drive.join("e1")
    drive.mute(conn)
    signs: dict[str, ev.Event] = {
        "text": ev.Text(conn, json.dumps({"type": "recovery", "request_id": "none"}).encode()),
        "ping": ev.Ping(conn),
        "pong": ev.Pong(conn, b"unsolicited"),
        "part of a message": ev.Progress(conn),
    }
    for _ in range(6):
        drive.run(20)
        drive.event(signs[kind])
    assert drive.status("e1") == "HEALTHY"


@pytest.mark.parametrize(("grace_s", "at_s"), [(60, 60.0), (1, 1.0), (600, 600.0)])
def test_dead_exactly_at_the_end_of_the_grace_period(grace_s: int, at_s: float) -> None:
    drive = Driver()
    drive.app(executor_timeout_s=grace_s)
    drive.lose(drive.join("e1"))
    drive.run(at_s - 0.001)
    assert drive.status("e1") == "DISCONNECTED"
    drive.run(0.001)
    assert drive.status("e1") == "DEAD"


def test_each_disconnection_starts_a_whole_grace_period(drive: Driver) -> None:
    for _ in range(5):
        drive.lose(drive.join("e1"))
        drive.run(59)
        assert drive.status("e1") == "DISCONNECTED"
    assert not drive.recoveries()


def test_a_stale_close_demotes_nobody(drive: Driver) -> None:
    old = drive.join("e1")
    new = drive.join("e1")
    assert [e.conn for _, e in drive.effects if isinstance(e, fx.Close)] == [old], "the newest connection wins at once"
    drive.event(ev.Closed(old, "fin"))
    drive.run(30)
    assert drive.status("e1") == "HEALTHY"
    record = drive.record("e1")
    assert record is not None and record.conn == new


def test_a_late_pong_of_an_old_socket_keeps_nobody_alive(drive: Driver) -> None:
    old = drive.join("e1")
    new = drive.join("e1")
    drive.mute(new)
    for _ in range(3):
        drive.run(10)
        drive.event(ev.Pong(old, b""))
    assert drive.status("e1") == "DISCONNECTED"


def test_grace_is_per_application_and_a_change_takes_the_running_period(drive: Driver) -> None:
    other = drive.app(AppKey("org", "other"))
    drive.lose(drive.join("a"))
    drive.lose(drive.join("b", app=other))
    drive.run(10)
    drive.app(executor_timeout_s=5)
    drive.run(0)
    assert drive.status("a") == "DEAD", "the elapsed time is longer than the new grace"
    assert drive.status("b", other) == "DISCONNECTED"
    drive.run(50)
    assert drive.status("b", other) == "DEAD"


def test_a_pause_of_the_relay_itself_is_nobodys_silence(drive: Driver) -> None:
    healthy = drive.join("e1")
    drive.lose(drive.join("e2"))
    drive.run(5)
    drive.now_ns += 300 * NS
    drive.event(ev.Tick())
    drive.run(20)
    assert drive.status("e1") == "HEALTHY" and healthy in drive.alive
    assert drive.status("e2") == "DISCONNECTED"
    drive.run(60)
    assert drive.status("e2") in ("DEAD", "GONE")


def test_what_comes_between_a_pause_and_the_first_tick_has_had_no_pause(drive: Driver) -> None:
    drive.join("e1")
    drive.now_ns += 30 * NS
    asked = drive.open()  # an upgrade that waited in the socket
    drive.alive[asked.conn] = drive.names[asked.conn] = "e2"
    drive.reply(asked, executor_id="e2", application_version="v1", language="python")
    joined_s = drive.now_s
    drive.event(ev.Tick())
    drive.run(60)
    pings = [at for at, effect in drive.effects if isinstance(effect, fx.SendPing) and effect.conn == asked.conn]
    assert pings[0] - joined_s == pytest.approx(10)
    assert {drive.status("e1"), drive.status("e2")} == {"HEALTHY"}


def test_the_wall_clock_decides_nothing(drive: Driver) -> None:
    drive.lose(drive.join("e1"))
    while (due_ns := drive.core.next_due_ns) is not None and due_ns < 159 * NS:
        drive.now_ns = due_ns
        drive.core.handle(ev.Tick(), due_ns, now_ms=0 if due_ns % 2 else 10**13)
    assert drive.status("e1") == "DISCONNECTED"


def test_one_executor_cannot_be_closed_by_anothers_malformed_frame(drive: Driver) -> None:
    bad, good = drive.join("bad"), drive.join("good")
    drive.event(ev.Text(bad, b"{"))
    assert drive.status("bad") == "DISCONNECTED"
    assert drive.status("good") == "HEALTHY" and good in drive.alive


def test_an_executor_of_a_deleted_application_is_gone_with_an_audit_entry(drive: Driver) -> None:
    drive.join("e1")
    drive.event(ev.DeleteApplication(APP))
    assert drive.status("e1") == "GONE"
    assert drive.audits("executor.delete") == [{"executorId": "e1", "reason": "application deleted"}]
