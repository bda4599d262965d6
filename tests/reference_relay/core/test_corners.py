"""Corners: events that find nothing, answers that can't be read, deadlines that moved."""

from __future__ import annotations

import json

import pytest

from conductor.timing import FAST
from reference_relay.core import Core, CoreConfig
from reference_relay.core import effects as fx
from reference_relay.core import events as ev
from reference_relay.core.config import NS
from reference_relay.core.records import AppKey
from reference_relay.core.timers import Timer, TimerHeap
from tests.reference_relay.core.driving import APP, Driver

LIST: dict[str, object] = {"body": {"load_input": False, "load_output": False}}


def kill(drive: Driver, conn: int) -> None:
    drive.lose(conn)
    drive.run(60)


def test_events_of_nobody_change_nothing(drive: Driver) -> None:
    before = drive.core.normal_form(drive.now_ns)
    for event in (
        ev.Text(77, b"{}"),
        ev.Binary(77, 3),
        ev.Ping(77),
        ev.Pong(77, b""),
        ev.Progress(77),
        ev.Closed(77, "reset"),
        ev.CallAbandoned(77),
        ev.LatestVersion(AppKey("x", "y"), "v2"),
    ):
        assert drive.event(event) == []
    assert drive.event(ev.DeleteApplication(AppKey("x", "y"))) == [fx.Applied(AppKey("x", "y"))]
    assert drive.core.normal_form(drive.now_ns) == before


def test_a_binary_message_ends_its_own_connection(drive: Driver) -> None:
    conn = drive.join("e1")
    effects = drive.event(ev.Binary(conn, 10))
    assert [(e.conn, e.code) for e in effects if isinstance(e, fx.Close)] == [(conn, 1003)]
    assert drive.status("e1") == "DISCONNECTED"


def test_time_never_goes_back(drive: Driver) -> None:
    with pytest.raises(AssertionError, match="time went back"):
        drive.core.handle(ev.Tick(), drive.now_ns - 1)


def test_a_call_that_nobody_finishes_ends_with_its_budget() -> None:
    drive = Driver(Core(CoreConfig(timing=FAST, call_budget_s=0.5)))
    drive.app()
    drive.join("e1")
    drive.answers["e1"] = {"list_workflows": lambda _: None}
    call = drive.call("list_workflows", LIST)
    drive.run(0.6)
    done = drive.done(call)
    assert done is not None and done.outcome is fx.Outcome.FAILED
    assert not drive.core.pending and not drive.core.by_conn


def test_without_failover_one_executor_is_asked(drive: Driver) -> None:
    for peer in ("e1", "e2"):
        drive.join(peer)
        drive.answers[peer] = {"cancel": lambda _: None}
    drive.event(ev.Call(1, APP, "cancel", {"workflow_id": "w"}, failover=False))
    drive.run(11)
    assert len(drive.sent("cancel")) == 1
    done = drive.done(1)
    assert done is not None and done.outcome is fx.Outcome.FAILED


def test_an_answer_that_does_not_decode_is_no_success(drive: Driver) -> None:
    dead = drive.join("dead")
    drive.join("peer")
    drive.answers["peer"] = {"recovery": lambda _: {"success": "yes"}}
    kill(drive, dead)
    assert drive.status("dead") == "DEAD"
    assert drive.audits("executor.recover")[0]["result"] == "refused"


def test_a_verification_that_does_not_decode_counts_as_no_answer(drive: Driver) -> None:
    dead = drive.join("dead")
    drive.join("peer")
    drive.answers["peer"] = {"exist_pending_workflows": lambda _: {"exist": "perhaps"}}
    kill(drive, dead)
    assert drive.audits("executor.delete")[0]["verified"] is False


def test_a_verification_under_another_type_counts_as_no_answer(drive: Driver) -> None:
    dead = drive.join("dead")
    drive.join("peer")
    drive.answers["peer"] = {"exist_pending_workflows": lambda _: None}
    kill(drive, dead)
    frame = drive.sent("exist_pending_workflows")[0][1]
    answer = {"type": "cancel", "request_id": frame.request_id, "success": True}
    drive.event(ev.Text(frame.conn, json.dumps(answer).encode()))
    assert drive.status("dead") == "GONE"


def test_when_the_only_peer_is_lost_while_it_verifies_the_recovery_waits(drive: Driver) -> None:
    dead = drive.join("dead")
    peer = drive.join("peer")
    drive.answers["peer"] = {"exist_pending_workflows": lambda _: None}
    kill(drive, dead)
    drive.lose(peer)
    assert drive.status("dead") == "DEAD"
    drive.answers = {}
    drive.join("peer")
    drive.run(1.1)
    assert drive.status("dead") == "GONE"


def test_a_late_refusal_is_audited_and_changes_nothing(drive: Driver) -> None:
    dead = drive.join("dead")
    for peer in ("p1", "p2"):
        drive.join(peer)
        drive.answers[peer] = {"recovery": lambda _: None}
    kill(drive, dead)
    drive.run(61)
    drive.reply(drive.sent("recovery")[0][1], success=False)
    assert [a["result"] for a in drive.audits("executor.recover")] == ["timeout", "late refused"]
    assert len(drive.recoveries()) == 2


def test_a_timeout_after_the_return_leaves_no_late_answer_to_wait_for(drive: Driver) -> None:
    dead = drive.join("dead")
    drive.join("peer")
    drive.answers["peer"] = {"recovery": lambda _: None}
    kill(drive, dead)
    drive.join("dead")
    drive.run(61)
    assert not drive.core.late and not drive.core.pending
    assert drive.audits("executor.recover")[-1] == {
        "executorId": "dead", "peerExecutorId": "peer", "attempt": 1, "result": "timeout", "executorReturned": True,
    }  # fmt: skip


def test_a_return_forgets_the_late_answers_too(drive: Driver) -> None:
    dead = drive.join("dead")
    drive.join("peer")
    drive.answers["peer"] = {"recovery": lambda _: None}
    kill(drive, dead)
    drive.run(61)
    assert drive.core.late
    drive.join("dead")
    assert not drive.core.late


def test_an_administrator_tells_the_latest_version(drive: Driver) -> None:
    drive.app(recover_to_latest_version=True)
    dead = drive.join("dead")
    drive.join("new", version="v2")
    drive.answers["new"] = {"list_application_versions": lambda _: None}
    kill(drive, dead)
    assert drive.recoveries() == []
    drive.event(ev.LatestVersion(APP, "v2"))
    drive.run(0.1)
    assert [peer for _, peer, _ in drive.recoveries()] == ["new"]


@pytest.mark.parametrize("answer", [{"output": 3}, {"output": []}, {"error_message": "no"}])
def test_versions_that_nobody_can_tell_leave_it_waiting(drive: Driver, answer: dict[str, object]) -> None:
    drive.app(recover_to_latest_version=True)
    dead = drive.join("dead")
    drive.join("new", version="v2")
    drive.answers["new"] = {"list_application_versions": lambda _: answer}
    kill(drive, dead)
    drive.run(100)
    assert drive.recoveries() == [] and drive.core.surfaced(APP)


def test_a_deleted_application_takes_its_recoveries_and_memories_with_it(drive: Driver) -> None:
    first, second = drive.join("first"), drive.join("second")
    peer = drive.join("peer")
    kill(drive, first)
    drive.answers["peer"] = {"recovery": lambda _: None}
    kill(drive, second)
    assert drive.core.remembered and drive.core.dead[APP] == ("second",)
    drive.event(ev.DeleteApplication(APP))
    assert not drive.core.executors and not drive.core.remembered and not drive.core.pending
    assert peer not in drive.alive
    drive.run(200)
    assert drive.core.next_due_ns is None


def test_a_longer_grace_puts_off_a_running_period(drive: Driver) -> None:
    drive.lose(drive.join("e1"))
    drive.run(30)
    drive.app(executor_timeout_s=100)
    drive.run(60)
    assert drive.status("e1") == "DISCONNECTED"
    drive.run(11)
    assert drive.status("e1") == "DEAD"


def test_settings_without_a_new_grace_leave_running_periods_alone(drive: Driver) -> None:
    drive.lose(drive.join("e1"))
    drive.run(30)
    drive.app(private_mode=True)
    drive.run(31)
    assert drive.status("e1") == "DEAD"


def test_ids_asked_one_by_one_that_own_nothing_or_tell_nothing(drive: Driver) -> None:
    dead = drive.join("dead")
    drive.join("peer")
    kill(drive, dead)
    answers: list[dict[str, object]] = [{"exist": False}, {"exist": 3}]
    drive.answers["peer"] = {
        "get_workflow_aggregates": lambda _: {"output": "none"},
        "exist_pending_workflows": lambda _: answers.pop(0),
    }
    drive.run(121)
    assert answers == [] and len(drive.recoveries()) == 1


def test_a_sweep_without_anybody_to_ask_waits_for_the_next(drive: Driver) -> None:
    dead = drive.join("dead")
    peer = drive.join("peer")
    kill(drive, dead)
    drive.lose(peer)
    drive.run(61)
    drive.join("later")
    assert not drive.sent("get_workflow_aggregates")
    drive.run(60)
    assert len(drive.sent("get_workflow_aggregates")) == 1


def test_a_sweep_that_times_out_asks_one_by_one(drive: Driver) -> None:
    dead = drive.join("dead")
    drive.join("peer")
    kill(drive, dead)
    drive.answers["peer"] = {"get_workflow_aggregates": lambda _: None, "exist_pending_workflows": lambda _: None}
    drive.run(85)
    assert len(drive.sent("exist_pending_workflows")) == 2


def test_someone_disconnected_tells_whether_the_clock_is_worth_storing(drive: Driver) -> None:
    conn = drive.join("e1")
    assert drive.core.someone_disconnected() is False
    drive.lose(conn)
    assert drive.core.someone_disconnected() is True


class TestTimers:
    def test_equal_deadlines_fire_by_kind_then_by_key(self) -> None:
        heap = TimerHeap()
        for kind, key in ((Timer.GRACE, ("b",)), (Timer.PING, (2,)), (Timer.PING, (1,)), (Timer.GRACE, ("a",))):
            heap.arm(kind, key, 5 * NS)
        fired = []
        while (entry := heap.pop_due(5 * NS)) is not None:
            fired.append(entry[1:])
        assert fired == [
            (Timer.PING, (1,)), (Timer.PING, (2,)), (Timer.GRACE, ("a",)), (Timer.GRACE, ("b",)),
        ]  # fmt: skip

    def test_an_earlier_deadline_replaces_a_later_one(self) -> None:
        heap = TimerHeap()
        heap.arm(Timer.CALL, (1,), 9)
        heap.arm(Timer.CALL, (1,), 4)
        heap.arm(Timer.CALL, (1,), 6)
        assert heap.next_due_ns() == 4
        assert heap.pop_due(100) == (4, Timer.CALL, (1,))
        assert heap.pop_due(100) is None and heap.next_due_ns() is None

    def test_clear_forgets_all(self) -> None:
        heap = TimerHeap()
        heap.arm(Timer.CALL, (1,), 9)
        heap.clear()
        assert heap.next_due_ns() is None
