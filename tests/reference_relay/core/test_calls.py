"""ENV clauses at the core's own seam: calls of the management API."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from reference_relay.core import effects as fx
from reference_relay.core import events as ev
from tests.reference_relay.core.driving import APP, Driver

LIST: dict[str, object] = {"body": {"load_input": False, "load_output": False}}


def silent(drive: Driver, *peers: str) -> None:
    for peer in peers:
        drive.answers[peer] = {"list_workflows": lambda _: None, "cancel": lambda _: None}


def outcome(drive: Driver, call: int) -> fx.Outcome | None:
    done = drive.done(call)
    return done.outcome if done else None


@given(st.permutations(range(6)))
@settings(max_examples=40, deadline=None)
def test_answers_in_any_order_reach_their_own_callers(order: list[int]) -> None:
    drive = Driver()
    drive.app()
    drive.join("e1")
    silent(drive, "e1")
    calls = [drive.call("list_workflows", LIST) for _ in range(6)]
    frames = [frame for _, frame in drive.sent("list_workflows")]
    assert len({frame.request_id for frame in frames}) == 6
    for index in order:
        drive.reply(frames[index], output=[], mark=index)
    for index, call in enumerate(calls):
        done = drive.done(call)
        assert done is not None and done.data is not None
        assert json.loads(done.data)["mark"] == index


def test_an_error_message_is_a_failure_even_beside_success(drive: Driver) -> None:
    drive.join("e1")
    drive.answers["e1"] = {"cancel": lambda _: {"success": True, "error_message": "no such row"}}
    call = drive.call("cancel", {"workflow_id": "w"})
    done = drive.done(call)
    assert done is not None and done.outcome is fx.Outcome.REFUSED and done.error == "no such row"


def test_an_answer_of_another_type_is_no_success(drive: Driver) -> None:
    drive.join("e1")
    silent(drive, "e1")
    call = drive.call("cancel", {"workflow_id": "w"})
    frame = drive.sent("cancel")[0][1]
    body = {"type": "resume", "request_id": frame.request_id, "success": True}
    drive.event(ev.Text(frame.conn, json.dumps(body).encode()))
    assert outcome(drive, call) is fx.Outcome.FAILED


def test_another_connection_cannot_answer(drive: Driver) -> None:
    drive.join("e1")
    other = drive.join("e2", version="v2")
    silent(drive, "e1", "e2")
    call = drive.call("list_workflows", LIST, version="v1")
    frame = drive.sent("list_workflows")[0][1]
    body = {"type": frame.type, "request_id": frame.request_id, "output": []}
    drive.event(ev.Text(other, json.dumps(body).encode()))
    assert outcome(drive, call) is None


def test_without_an_executor_and_without_an_answer(drive: Driver) -> None:
    assert outcome(drive, drive.call("list_workflows", LIST)) is fx.Outcome.NO_EXECUTOR
    drive.join("e1")
    silent(drive, "e1")
    call = drive.call("list_workflows", LIST)
    drive.run(9.9)
    assert outcome(drive, call) is None
    drive.run(0.2)
    assert outcome(drive, call) is fx.Outcome.FAILED


def test_the_next_executor_is_asked_when_one_is_lost_or_silent_and_the_whole_is_bounded(drive: Driver) -> None:
    for peer in ("e1", "e2", "e3", "e4"):
        drive.join(peer)
        silent(drive, peer)
    start = drive.now_s
    call = drive.call("list_workflows", LIST)
    drive.lose(drive.sent("list_workflows")[0][1].conn)
    assert len(drive.sent("list_workflows")) == 2
    drive.run(40)
    done = next((at, e) for at, e in drive.effects if isinstance(e, fx.CallDone) and e.call_id == call)
    assert done[1].outcome is fx.Outcome.FAILED
    assert done[0] - start <= 25.0, "clients give up after 30 s"
    assert not drive.core.pending and not drive.core.calls


def test_only_executors_of_the_version_asked_for(drive: Driver) -> None:
    drive.join("old", version="v1")
    drive.join("new", version="v2")
    for _ in range(4):
        assert outcome(drive, drive.call("resume", {"workflow_id": "w"}, version="v2")) in (None, fx.Outcome.FAILED)
    assert {drive.peer_of(frame.conn) for _, frame in drive.sent("resume")} == {"new"}
    assert outcome(drive, drive.call("resume", {"workflow_id": "w"}, version="v3")) is fx.Outcome.NO_EXECUTOR


def test_a_caller_that_went_away_leaves_nothing_behind(drive: Driver) -> None:
    drive.join("e1")
    silent(drive, "e1")
    call = drive.call("list_workflows", LIST)
    drive.event(ev.CallAbandoned(call))
    assert not drive.core.calls and not drive.core.pending and not drive.core.by_conn
    drive.reply(drive.sent("list_workflows")[0][1], output=[])
    assert outcome(drive, call) is None


def test_a_request_that_would_kill_an_sdk_is_not_sent(drive: Driver) -> None:
    drive.join("e1")
    call = drive.call("list_workflows", {"body": {"load_input": False, "load_output": False, "status": []}})
    done = drive.done(call)
    assert done is not None and done.outcome is fx.Outcome.FAILED and done.error
    assert not drive.sent("list_workflows") and not drive.core.calls


def test_duplicates_and_unsolicited_answers_change_nothing(drive: Driver) -> None:
    conn = drive.join("e1")
    silent(drive, "e1")
    call = drive.call("list_workflows", LIST)
    frame = drive.sent("list_workflows")[0][1]
    drive.reply(frame, output=[])
    state = drive.core.normal_form(drive.now_ns)
    drive.reply(frame, output=[{"x": 1}])
    drive.event(ev.Text(conn, b'{"type": "cancel", "request_id": "never"}'))
    drive.event(ev.Text(conn, b'{"type": "cancel"}'))
    assert drive.core.normal_form(drive.now_ns) == state
    assert outcome(drive, call) is fx.Outcome.ANSWERED
    assert drive.status("e1", APP) == "HEALTHY"
