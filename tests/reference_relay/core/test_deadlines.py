"""Deadlines of calls wait in a queue beside the heap; all deadlines come up again where a snapshot is put back."""

from __future__ import annotations

import random

import pytest

from reference_relay.core import Core
from reference_relay.core.timers import Entry, Timer, TimerHeap
from tests.reference_relay.core.driving import APP, Driver

LIST: dict[str, object] = {"body": {"load_input": False, "load_output": False}}


@pytest.mark.parametrize("seed", range(20))
def test_whatever_the_order_of_arming_entries_come_by_time_kind_and_key(seed: int) -> None:
    draw = random.Random(seed)
    timers = TimerHeap()
    armed: list[Entry] = []
    for number in range(60):
        due_ns = draw.randrange(20)
        if draw.random() < 0.5:
            timers.arm_call(f"r-{number:02}", due_ns)
            armed.append((due_ns, Timer.CALL, (f"r-{number:02}",)))
        else:
            kind = draw.choice((Timer.PING, Timer.GRACE, Timer.SWEEP))
            timers.arm(kind, (number,), due_ns)
            armed.append((due_ns, kind, (number,)))
    popped = []
    while (next_ns := timers.next_due_ns()) is not None:
        entry = timers.pop_due(next_ns)
        assert entry is not None and entry[0] == next_ns
        popped.append(entry)
    assert popped == sorted(armed)


def test_a_call_that_was_answered_leaves_no_deadline() -> None:
    timers = TimerHeap()
    timers.arm(Timer.PING, (1,), 50)
    for number in range(3):
        timers.arm_call(f"r-{number}", number)
        timers.disarm_call(f"r-{number}")
    assert timers.pop_due(40) is None
    assert timers.next_due_ns() == 50


@pytest.mark.parametrize("waits_for", ["grace", "ping", "silence", "call", "handshake", "backoff", "sweep"])
def test_a_core_that_takes_a_snapshot_keeps_its_deadlines(drive: Driver, waits_for: str) -> None:
    conn = drive.join("e1")
    match waits_for:
        case "grace":
            drive.lose(conn)
        case "silence":
            drive.mute(conn)
        case "call":
            drive.answers["e1"] = {"list_workflows": lambda _: None}
            drive.call("list_workflows", LIST)
        case "handshake":
            drive.open()
        case "backoff" | "sweep":
            drive.answers["e1"] = {"recovery": lambda _: {"success": waits_for == "sweep"}}
            drive.lose(drive.join("e2"))
            drive.run(61)
    snapshot, now_ns, alive, conns, calls = drive.core.state, drive.now_ns, dict(drive.alive), drive.conns, drive.calls
    drive.effects = []
    drive.run(130)
    first, end = repr(drive.effects), drive.core.digest(drive.now_ns)
    assert first != "[]"
    drive.core = Core()
    drive.core.state = snapshot
    drive.now_ns, drive.alive, drive.conns, drive.calls, drive.effects = now_ns, alive, conns, calls, []
    drive.run(130)
    assert repr(drive.effects) == first
    assert drive.core.digest(drive.now_ns) == end
    assert drive.core.executors_of(APP) or waits_for == "grace"
