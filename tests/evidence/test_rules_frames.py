"""frame, no_frame, count, first_frame, quiet."""

from __future__ import annotations

from typing import Any

import pytest

from evidence.verdict import Verdict
from tests.evidence.evidence_play import Play


def dispatched(at_s: float) -> tuple[Play, int]:
    play = Play("REC-1")
    conn, peer = play.dial("e1"), play.dial("e2")
    after = play.at(1.0).end(conn)
    play.at(at_s).recover(peer, "e1")
    play.at(9.0)
    return play, after


@pytest.mark.parametrize(
    ("at_s", "verdict"), [(2.5, Verdict.EARLY), (3.2, Verdict.OK), (3.6, Verdict.LATE), (3.42, Verdict.LATE)]
)
def test_frame_is_sent_in_the_window(at_s: float, verdict: Verdict) -> None:
    play, after = dispatched(at_s)
    play.expect(
        "REC-1",
        "frame",
        executor="e2",
        type="recovery",
        match={"executor_ids": ["e1"]},
        after=after,
        earliest="g",
        latest="g + scan + slack",
    )
    assert play.verdict("frame") is verdict


def test_frame_matches_lists_as_a_whole_and_looks_after_the_event() -> None:
    play = Play("REC-1")
    peer = play.dial("e2")
    play.recover(peer, "e1")
    after = play.at(1.0).ping(peer)
    play.at(2.0).recover(peer, "e1", "e9")
    play.at(9.0)
    play.expect(
        "REC-1", "frame", executor="e2", type="recovery", match={"executor_ids": ["e1"]}, after=after, latest="g"
    )
    assert play.found("frame").verdict is Verdict.FAILED


def test_frame_that_the_history_is_too_short_for_is_unknown() -> None:
    play = Play("REC-1")
    after = play.end(play.dial("e1"))
    play.dial("e2")
    play.at(1.0)
    play.expect("REC-1", "frame", executor="e2", type="recovery", after=after, latest="g")
    assert play.verdict("frame") is Verdict.UNKNOWN


def test_frame_without_a_latest_moment() -> None:
    play, after = dispatched(8.0)
    play.expect("REC-1", "frame", app="shop", type="recovery", after=after)
    assert play.verdict("frame") is Verdict.OK
    play, after = dispatched(8.0)
    play.expect("REC-1", "frame", app="shop", type="cancel", after=after)
    assert play.verdict("frame") is Verdict.FAILED


@pytest.mark.parametrize(
    ("args", "verdict"),
    [
        ({"executor": "e2"}, Verdict.FAILED),
        ({"conn": 2}, Verdict.FAILED),
        ({"app": "shop", "match": {"executor_ids": ["e1"]}}, Verdict.FAILED),
        ({"app": "shop", "match": {"executor_ids": ["e3"]}}, Verdict.OK),
        ({"executor": "e1"}, Verdict.OK),
    ],
)
def test_no_frame(args: dict[str, Any], verdict: Verdict) -> None:
    play = Play("REC-5")
    play.dial("e1")
    peer = play.dial("e2")
    play.at(1.0).recover(peer, "e1", "e4")
    play.expect("REC-5", "no_frame", type="recovery", **args)
    assert play.verdict("no_frame") is verdict


def test_no_frame_counts_only_what_is_surely_in_between() -> None:
    play = Play("REC-5")
    peer = play.dial("e2")
    play.recover(peer, "e1")
    since = play.at(1.0).ping(peer)
    until = play.at(2.0).ping(peer)
    play.at(3.0).recover(peer, "e1")
    play.expect("REC-5", "no_frame", executor="e2", type="recovery", since=since, until=until)
    assert play.verdict("no_frame") is Verdict.OK


def test_no_frame_where_nobody_was_connected_is_vacuous() -> None:
    play = Play("REC-5")
    play.dial("e1", upgrade=False)
    play.expect("REC-5", "no_frame", executor="e1", type="recovery")
    assert play.verdict("no_frame") is Verdict.VACUOUS


@pytest.mark.parametrize(
    ("args", "verdict"),
    [
        ({"at_least": 2, "at_most": 2}, Verdict.OK),
        ({"at_least": 3}, Verdict.FAILED),
        ({"at_most": 1}, Verdict.FAILED),
        ({"answered": True, "at_least": 1, "at_most": 1}, Verdict.OK),
        ({"answered": False, "at_most": 0}, Verdict.FAILED),
        ({"match": {"executor_ids": ["e3"]}, "at_least": 1, "at_most": 1}, Verdict.OK),
    ],
)
def test_count(args: dict[str, Any], verdict: Verdict) -> None:
    play = Play("REC-7")
    peer = play.dial("e2")
    first = play.recover(peer, "e1")
    play.reply(peer, first, success=False)
    play.recover(peer, "e1", "e3")
    play.expect("REC-7", "count", executor="e2", type="recovery", **args)
    assert play.verdict("count") is verdict


@pytest.mark.parametrize(
    ("frame", "verdict"),
    [
        ({"type": "executor_info", "request_id": "1"}, Verdict.OK),
        ({"type": "executor_info", "request_id": ""}, Verdict.FAILED),
        ({"type": "executor_info"}, Verdict.FAILED),
        ({"type": "recovery", "request_id": "1", "executor_ids": []}, Verdict.FAILED),
        ("[]", Verdict.FAILED),
        (None, Verdict.FAILED),
    ],
)
def test_first_frame(frame: dict[str, Any] | str | None, verdict: Verdict) -> None:
    play = Play("HSK-1")
    conn = play.dial("e1", shake=False)
    play.ping(conn)
    if frame is not None:
        play.text(conn, frame)
    play.expect("HSK-1", "first_frame", conn=conn)
    assert play.verdict("first_frame") is verdict


def test_first_frame_and_quiet_without_an_upgrade_are_vacuous() -> None:
    play = Play("HSK-1", "HSK-7")
    conn = play.dial("e1", upgrade=False)
    play.expect("HSK-1", "first_frame", conn=conn)
    play.expect("HSK-7", "quiet", conn=conn)
    assert play.judge().clauses == {"HSK-1": Verdict.VACUOUS, "HSK-7": Verdict.VACUOUS}


def test_quiet() -> None:
    for allow, verdict in ((["executor_info"], Verdict.FAILED), (["executor_info", "cancel"], Verdict.OK)):
        play = Play("HSK-7")
        conn = play.dial("e1")
        play.ask(conn, "cancel", workflow_id="w", workflow_ids=["w"])
        play.expect("HSK-7", "quiet", conn=conn, allow=allow)
        assert play.verdict("quiet") is verdict
    play = Play("HSK-7")
    conn = play.dial("e1")
    since = play.ping(conn)
    play.frame(conn, "close", code=1000)
    play.expect("HSK-7", "quiet", conn=conn, since=since)
    assert play.verdict("quiet") is Verdict.OK
