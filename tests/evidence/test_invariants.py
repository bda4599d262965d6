"""Invariants of the wire, the list and the audit log: one history that breaks each, and near ones that don't."""

from __future__ import annotations

from typing import Any

import pytest

from evidence import events
from evidence.rules import invariants
from evidence.verdict import Finding, Verdict
from tests.evidence.evidence_play import NAMES, Play, deleted, recovered


def found(play: Play, rule: str) -> Verdict | None:
    """The verdict of one invariant; None where its premise did not occur."""
    history = play.history()
    _, function = invariants()[rule]
    findings: list[Finding] = function(history)
    assert len(findings) <= 1
    return findings[0].verdict if findings else None


def test_an_empty_history_breaks_nothing_and_shows_nothing() -> None:
    history = Play().history()
    assert [function(history) for _, function in invariants().values()] == [[] for _ in invariants()]


# ---------------------------------------------------------------- handshake and envelope


def test_the_first_text_frame_is_executor_info() -> None:
    play = Play()
    play.dial("e1")
    assert found(play, "handshake_first") is Verdict.OK
    play = Play()
    conn = play.dial("e1", shake=False)
    play.ask(conn, "get_metrics")
    assert found(play, "handshake_first") is Verdict.FAILED


def before_handshake(answer: dict[str, Any] | None, *, size: int | None = None) -> Verdict | None:
    play = Play()
    conn = play.dial("e1", shake=False)
    ask = play.ask(conn, "executor_info", request_id="r")
    if answer is not None:
        play.reply(conn, ask, **answer)
    if size is not None:
        play.frame(conn, "text", by="executor", data="{", size=size)
    play.ask(conn, "cancel", workflow_id="w", workflow_ids=["w"])
    return found(play, "nothing_before_handshake")


@pytest.mark.parametrize(
    "answer",
    [
        None,
        {},
        {"executor_id": ""},
        {"executor_id": 7},
        {"executor_id": "e1", "error_message": "no"},
        {"executor_id": "e1", "request_id": "other"},
        {"executor_id": "e1", "type": "cancel"},
    ],
)
def test_nothing_is_asked_before_the_handshake(answer: dict[str, Any] | None) -> None:
    assert before_handshake(answer) is Verdict.FAILED


def test_after_the_handshake_anything_may_be_asked() -> None:
    assert before_handshake({"executor_id": "e1"}) is Verdict.OK
    assert before_handshake(None, size=1 << 20) is None  # an answer that was cut short may have completed it


@pytest.mark.parametrize(
    ("frame", "verdict"),
    [
        ({"type": "get_metrics", "request_id": "2"}, Verdict.OK),
        ({"type": "get_metrics"}, Verdict.FAILED),
        ({"request_id": "2"}, Verdict.FAILED),
        ({"type": "get_metrics", "request_id": 2}, Verdict.FAILED),
        ("[1]", Verdict.FAILED),
        ("{", Verdict.FAILED),
        ("[" * 100_000, Verdict.FAILED),
    ],
)
def test_requests_have_type_and_id(frame: dict[str, Any] | str, verdict: Verdict) -> None:
    play = Play()
    play.text(play.dial("e1"), frame)
    assert found(play, "requests_have_ids") is verdict


def test_a_binary_request_is_no_request() -> None:
    play = Play()
    play.frame(play.dial("e1"), "binary", data="AAAA", b64=True)
    assert found(play, "requests_have_ids") is Verdict.FAILED


def reused(*, type: str = "get_metrics", after_s: float = 0.1, answered: bool = False, other: bool = False) -> Verdict:
    play = Play()
    conn, second = play.dial("e1"), play.dial("e2")
    ask = play.ask(conn, type, request_id="same")
    if answered:
        play.reply(conn, ask, success=True)
    play.at(after_s).ask(second if other else conn, "get_metrics", request_id="same")
    verdict = found(play, "requests_have_ids")
    assert verdict is not None
    return verdict


def test_no_id_is_outstanding_twice_on_a_connection() -> None:
    assert reused() is Verdict.FAILED
    assert reused(answered=True) is Verdict.OK
    assert reused(other=True) is Verdict.OK
    assert reused(after_s=1.4) is Verdict.OK  # past the request deadline
    assert reused(after_s=1.4, type="recovery") is Verdict.FAILED
    assert reused(after_s=2.4, type="recovery") is Verdict.OK


@pytest.mark.parametrize(
    ("op", "data", "b64", "verdict"),
    [
        ("text", '{"type": "recovery", "request_id": "2", "executor_ids": ["e9"]}', False, Verdict.OK),
        ("text", '{"type": "recovery", "request_id": "2", "executor_ids": "e9"}', False, Verdict.FAILED),
        ("text", '{"type": "list_workflows", "request_id": "2"}', False, Verdict.FAILED),
        ("text", "{", False, Verdict.FAILED),
        ("text", "/w==", True, Verdict.FAILED),
        ("text", "a", True, Verdict.FAILED),
        ("binary", "AAAA", True, Verdict.FAILED),
    ],
)
def test_no_frame_kills_an_sdk(op: str, data: str, b64: bool, verdict: Verdict) -> None:
    play = Play()
    play.frame(play.dial("e1"), op, data=data, b64=b64)
    assert found(play, "nothing_kills_an_sdk") is verdict


def forms(*frames: dict[str, Any]) -> dict[str, Verdict]:
    """The verdicts of the invariant about each type's own form."""
    play = Play()
    conn = play.dial("e1")
    for number, fields in enumerate(frames):
        play.text(conn, {"request_id": f"q-{number}", **fields})
    history = play.history()
    _, function = invariants()["requests_keep_their_form"]
    return {each.clause: each.verdict for each in function(history)}


@pytest.mark.parametrize(
    ("fields", "verdict"),
    [
        ({"type": "list_workflows", "body": {}}, Verdict.FAILED),  # load_input and load_output are always sent
        ({"type": "list_workflows", "body": {"load_input": False, "load_output": False, "limit": None}}, Verdict.OK),
        ({"type": "list_workflows", "body": {"load_input": False, "load_output": False, "new": 1}}, Verdict.OK),
        ({"type": "list_workflows", "body": {"load_input": 0, "load_output": False}}, Verdict.FAILED),
        ({"type": "list_workflows", "load_input": False, "load_output": False}, Verdict.FAILED),  # wrong nesting
        ({"type": "exist_pending_workflows", "executor_id": "e1", "application_version": "v1"}, Verdict.OK),
        ({"type": "exist_pending_workflows", "executor_id": "e1"}, Verdict.FAILED),
        ({"type": "recovery", "executor_ids": ["e1"]}, Verdict.OK),
        ({"type": "recovery", "executor_ids": "e1"}, Verdict.FAILED),
    ],
)
def test_each_request_keeps_the_form_of_its_type(fields: dict[str, Any], verdict: Verdict) -> None:
    assert forms(fields)[f"MSG-{fields['type']}"] is verdict


def test_the_form_of_a_type_is_judged_by_all_of_its_frames() -> None:
    good, bad = {"type": "recovery", "executor_ids": ["e1"]}, {"type": "recovery", "executor_ids": "e1"}
    info = {"MSG-executor_info": Verdict.OK}
    assert forms() == info
    assert forms(good, bad) == forms(bad, good) == forms(bad, bad) == info | {"MSG-recovery": Verdict.FAILED}
    assert forms(good, good) == info | {"MSG-recovery": Verdict.OK}


def test_a_type_of_no_clause_has_no_form_to_keep() -> None:
    assert forms({"type": "no_such_type"}) == {"MSG-executor_info": Verdict.OK}


# ---------------------------------------------------------------- pings


def pinged(*moments_s: float, sign_s: float | None = None, disturb: str = "") -> Verdict | None:
    play = Play()
    conn = play.dial("e1")
    for moment_s in moments_s:
        play.at(moment_s).ping(conn)
    if disturb:
        play.at(2.0)
        match disturb:
            case "relay":
                play.add(events.Fault, kind="pause")
            case "conn":
                play.add(events.Fault, kind="freeze", conn=conn)
            case "restart":
                play.add(events.Relay, what="killed")
            case "stopped":
                play.add(events.Relay, what="paused")
    if sign_s is not None:
        play.at(sign_s).ask(conn, "get_metrics")
    play.at(9.0)
    return found(play, "pings_go_on")


def test_pings_go_on_between_any_two_signs_of_the_relay() -> None:
    assert pinged(0.5, 1.0, 1.5) is Verdict.OK
    assert pinged(0.5, 1.0, sign_s=4.0) is Verdict.LATE
    assert pinged(0.5, 4.0) is Verdict.LATE
    assert pinged(sign_s=4.0) is Verdict.LATE
    assert pinged() is None


@pytest.mark.parametrize("disturb", ["relay", "conn", "restart", "stopped"])
def test_a_gap_with_a_cause_is_no_fault(disturb: str) -> None:
    assert pinged(0.5, 1.0, sign_s=4.0, disturb=disturb) is Verdict.OK


def test_connections_that_never_were_have_no_pings() -> None:
    play = Play()
    play.dial("e1", upgrade=False)
    assert found(play, "pings_go_on") is None


# ---------------------------------------------------------------- false deaths


def lost(
    *,
    listed: dict[str, str] | None = None,
    pong_s: float | None = 1.0,
    pinged_on: bool = True,
    second: bool = False,
    end_s: float | None = None,
    known: bool = True,
    killed: bool = False,
) -> Verdict | None:
    """e1 answers at 1.0 s; a list at 1.5 s shows ``listed``; the relay pings on at 2.0 s."""
    play = Play()
    conn = play.dial("e1")
    if known:
        play.at(0.1).poll(e1="HEALTHY")
    if second:
        play.at(0.2).dial("e1")
    if pong_s is not None:
        play.at(pong_s).ping(conn)
    if killed:
        play.at(1.2).add(events.Relay, what="killed")
    play.at(1.5).poll(**({"e1": "DISCONNECTED"} if listed is None else listed))
    if end_s is not None:
        play.at(end_s).end(conn, by="relay")
    if pinged_on:
        play.at(max(2.0, play.now_s)).ping(conn)
    return found(play, "answering_executor_stays_healthy")


def test_an_executor_that_answers_and_is_pinged_on_is_not_lost() -> None:
    assert lost() is Verdict.FAILED
    assert lost(listed={}) is Verdict.FAILED
    assert lost(listed={"e1": "HEALTHY"}) is Verdict.OK


def test_a_loss_that_may_have_a_cause_is_not_judged() -> None:
    assert lost(pong_s=None) is None
    assert lost(pinged_on=False) is None
    assert lost(second=True) is None
    assert lost(end_s=1.6) is None
    assert lost(known=False) is None  # a relay may refuse to register an executor
    assert lost(killed=True) is None
    assert lost(pong_s=0.3) is None  # silent for nearly the ping wait


def test_a_list_from_before_the_handshake_says_nothing() -> None:
    play = Play()
    play.poll(e1="DEAD")
    play.at(1.0)
    conn = play.dial("e1")
    play.at(1.1).ping(conn)
    assert found(play, "answering_executor_stays_healthy") is None


def test_a_connection_before_this_one_does_not_matter() -> None:
    play = Play()
    play.end(play.dial("e1"))
    conn = play.at(0.5).dial("e1")
    play.at(0.6).poll(e1="HEALTHY")
    play.at(1.0).ping(conn)
    play.at(1.5).poll(e1="DEAD")
    play.at(2.0).ping(conn)
    assert found(play, "answering_executor_stays_healthy") is Verdict.FAILED


# ---------------------------------------------------------------- audit log


def dispatched(
    *entries: dict[str, Any],
    how: str = "answer",
    read_s: float = 3.0,
    names: dict[str, str] | None = None,
    times: int = 1,
) -> Verdict | None:
    play = Play(names=NAMES if names is None else names)
    play.end(play.dial("e1"))
    peer = play.dial("e2")
    for _ in range(times):
        ask = play.at(1.0).recover(peer, "e1")
        match how:
            case "answer":
                play.reply(peer, ask, success=True)
            case "swapped":
                play.reply(peer, ask, success=True, type="cancel")
            case "loss":
                play.end(peer)
            case "killed":
                play.add(events.Relay, what="killed")
            case "frozen":
                play.add(events.Fault, kind="freeze", conn=peer)
                play.at(1.1).end(peer, by="relay")
    play.at(read_s).audit(*entries)
    return found(play, "recoveries_are_audited")


def test_each_ended_dispatch_has_its_entry() -> None:
    entry = recovered("e1", "e2")
    for how in ("answer", "loss"):
        assert dispatched(entry, how=how) is Verdict.OK
        assert dispatched(how=how) is Verdict.FAILED
    assert dispatched(recovered("e1", "e3")) is Verdict.FAILED
    assert dispatched(recovered("e2", "e1"), how="answer") is Verdict.OK  # who is who: the profile can't tell
    assert dispatched(entry, times=2) is Verdict.FAILED
    assert dispatched(entry, entry, times=2) is Verdict.OK


def test_a_dispatch_that_may_not_have_ended_is_not_judged() -> None:
    assert dispatched(how="", read_s=3.0) is None
    assert dispatched(how="", read_s=4.5) is Verdict.FAILED  # past the recovery deadline
    assert dispatched(how="swapped", read_s=3.0) is None
    assert dispatched(how="frozen", read_s=3.0) is None
    assert dispatched(how="answer", read_s=1.5) is None
    assert dispatched(how="killed", read_s=9.0) is None
    assert dispatched(names={}) is None


def test_another_organisations_log_says_nothing() -> None:
    play = Play()
    peer = play.dial("e2")
    play.reply(peer, play.recover(peer, "e1"), success=True)
    play.at(9.0).audit(org="other")
    assert found(play, "recoveries_are_audited") is None


def disappeared(*entries: dict[str, Any], read_s: float = 3.0, **header: Any) -> Verdict | None:
    play = Play(**header)
    play.dial("e1")
    play.at(1.0).poll(e1="DEAD")
    play.at(2.0).poll()
    play.at(read_s).audit(*entries)
    play.at(4.0).poll(app="later", e9="DEAD")
    return found(play, "deletions_are_audited")


def test_no_record_disappears_without_an_entry() -> None:
    assert disappeared(deleted("e1")) is Verdict.OK
    assert disappeared(deleted("e2")) is Verdict.FAILED
    assert disappeared() is Verdict.FAILED
    assert disappeared(read_s=2.1) is None
    assert disappeared(capabilities={"audit": False}) is None
    assert disappeared(capabilities={"list": False}) is None


def test_an_audit_log_that_nobody_read_says_nothing() -> None:
    play = Play()
    play.poll(e1="DEAD")
    play.at(1.0).poll()
    assert found(play, "deletions_are_audited") is None
