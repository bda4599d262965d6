"""closed, open, accepted, refused, pings, ponged."""

from __future__ import annotations

from typing import Any

import pytest

from evidence import events
from evidence.verdict import Verdict
from tests.evidence.evidence_play import Play


@pytest.mark.parametrize(
    ("at_s", "verdict"), [(0.5, Verdict.EARLY), (1.5, Verdict.OK), (4.0, Verdict.LATE), (None, Verdict.FAILED)]
)
@pytest.mark.parametrize("by_frame", [True, False])
def test_closed(at_s: float | None, verdict: Verdict, by_frame: bool) -> None:
    play = Play("LIV-3")
    conn = play.dial("e1")
    after = play.ping(conn)
    if at_s is not None:
        play.at(at_s)
        if by_frame:
            play.frame(conn, "close", code=1001)
        play.at(at_s if not by_frame else at_s + 9).end(conn, by="relay")
    play.at(20)
    play.expect("LIV-3", "closed", conn=conn, after=after, earliest="w - slack", latest="w + i")
    assert play.verdict("closed") is verdict


def test_closed_by_the_executor_itself_is_vacuous() -> None:
    play = Play("LIV-3")
    conn = play.dial("e1")
    play.end(conn)
    play.expect("LIV-3", "closed", conn=conn, after=0, latest="w")
    assert play.verdict("closed") is Verdict.VACUOUS


@pytest.mark.parametrize(
    ("by", "how", "verdict"),
    [
        ("relay", "close", Verdict.FAILED),
        ("network", "rst", Verdict.FAILED),
        ("executor", "close", Verdict.OK),
        (None, None, Verdict.OK),
    ],
)
def test_open(by: str | None, how: str, verdict: Verdict) -> None:
    play = Play("ENV-4")
    conn = play.dial("e1")
    play.at(1.0)
    if by is not None:
        play.end(conn, by=by, how=how, code=1002 if by == "relay" else None)
    play.at(2.0)
    play.expect("ENV-4", "open", conn=conn)
    assert play.verdict("open") is verdict


def test_open_looks_only_in_between_and_needs_an_upgrade() -> None:
    play = Play("ENV-4")
    conn = play.dial("e1")
    since = play.at(1.0).ping(conn)
    until = play.at(2.0).ping(conn)
    play.at(3.0).end(conn, by="relay")
    play.expect("ENV-4", "open", conn=conn, since=since, until=until)
    assert play.verdict("open") is Verdict.OK
    play = Play("ENV-4")
    play.expect("ENV-4", "open", conn=play.dial("e1", upgrade=False))
    assert play.verdict("open") is Verdict.FAILED


def refusal(status: int | None) -> tuple[Play, int]:
    play = Play("CON-2")
    conn = play.dial("e1", upgrade=False)
    if status is not None:
        play.add(events.Refused, conn=conn, status=status, body="no")
    return play, conn


@pytest.mark.parametrize(
    ("status", "args", "verdict"),
    [
        (401, {}, Verdict.OK),
        (401, {"status": 401}, Verdict.OK),
        (401, {"status": [403, "4xx"]}, Verdict.OK),
        (500, {"status": ["4XX"]}, Verdict.FAILED),
        (0, {}, Verdict.FAILED),
        (None, {}, Verdict.FAILED),
    ],
)
def test_refused(status: int | None, args: dict[str, Any], verdict: Verdict) -> None:
    play, conn = refusal(status)
    play.expect("CON-2", "refused", conn=conn, **args)
    assert play.verdict("refused") is verdict


def test_refused_may_mean_ended_after_the_upgrade() -> None:
    for or_closed, verdict in ((True, Verdict.OK), (False, Verdict.FAILED)):
        play = Play("CON-2")
        conn = play.dial("e1", shake=False)
        play.frame(conn, "close", code=1008)
        play.expect("CON-2", "refused", conn=conn, or_closed=or_closed)
        assert play.verdict("refused") is verdict


@pytest.mark.parametrize(
    ("utf8", "body", "verdict"),
    [(True, "", Verdict.OK), (True, "n\u00e3o \ufffd", Verdict.OK), (False, "n\ufffdo", Verdict.FAILED)],
)
def test_a_refusal_is_legible(utf8: bool, body: str, verdict: Verdict) -> None:
    play = Play("CON-11")
    conn = play.dial("e1", upgrade=False)
    play.add(events.Refused, conn=conn, status=401, body=body, utf8=utf8)
    play.expect("CON-11", "legible", conn=conn)
    assert play.verdict("legible") is verdict


def test_an_end_after_the_upgrade_has_no_body_and_no_refusal_proves_nothing() -> None:
    for ended, verdict in ((True, Verdict.OK), (False, Verdict.VACUOUS)):
        play = Play("CON-11")
        conn = play.dial("e1", shake=False)
        if ended:
            play.frame(conn, "close", code=1008)
        play.expect("CON-11", "legible", conn=conn)
        assert play.verdict("legible") is verdict


def test_accepted() -> None:
    play = Play("CON-1")
    play.expect("CON-1", "accepted", conn=play.dial("e1"))
    assert play.verdict("accepted") is Verdict.OK
    for status, seen in ((403, "refused with 403 no"), (None, "never answered")):
        play, conn = refusal(status)
        play.expect("CON-1", "accepted", conn=conn)
        finding = next(each for each in play.judge().findings if each.rule == "accepted")
        assert (finding.verdict, finding.seen) == (Verdict.FAILED, seen)


def pinged(*moments_s: float, until_s: float, jitter_s: float = 0.0, end: bool = False) -> Play:
    play = Play("LIV-1")
    conn = play.dial("e1")
    for moment_s in moments_s:
        play.at(moment_s).ping(conn)
    play.at(until_s)
    if jitter_s:
        play.add(events.Jitter, worst=round(jitter_s * 1e9))
    if end:
        play.end(conn)
        play.at(until_s + 50)
    play.expect("LIV-1", "pings", conn=conn)
    return play


@pytest.mark.parametrize(
    ("play", "verdict"),
    [
        (pinged(0.5, 1.0, 1.5, 2.0, until_s=2.2), Verdict.OK),
        (pinged(0.5, 1.0, 2.5, until_s=2.6), Verdict.LATE),
        (pinged(0.5, 1.0, 2.5, until_s=2.6, jitter_s=0.3), Verdict.UNKNOWN),
        (pinged(until_s=5.0), Verdict.LATE),
        (pinged(1.0, 2.0, 3.0, until_s=3.5), Verdict.FAILED),  # twice the interval that the profile states
        (pinged(0.9, 1.8, 2.7, until_s=3.0, jitter_s=0.2), Verdict.UNKNOWN),
        (pinged(1.0, until_s=2.0), Verdict.OK),
        (pinged(0.5, until_s=0.7), Verdict.VACUOUS),
        (pinged(0.5, 1.0, until_s=1.2, end=True), Verdict.OK),
    ],
)
def test_pings(play: Play, verdict: Verdict) -> None:
    assert play.verdict("pings") is verdict


def test_pings_without_an_upgrade_are_vacuous() -> None:
    play = Play("LIV-1")
    play.expect("LIV-1", "pings", conn=play.dial("e1", upgrade=False))
    assert play.verdict("pings") is Verdict.VACUOUS


def test_each_ping_of_the_executor_is_answered_by_its_payload_or_a_later_one() -> None:
    def played(*pongs: str, at_s: float = 0.1, jitter_s: float = 0.0) -> Play:
        play = Play("LIV-2")
        conn = play.dial("e1")
        play.frame(conn, "ping", by="executor", data="one")
        play.at(0.05).frame(conn, "ping", by="executor", data="two")
        for payload in pongs:
            play.at(at_s).frame(conn, "pong", data=payload)
        play.at(3.0)
        if jitter_s:
            play.add(events.Jitter, worst=round(jitter_s * 1e9))
        play.expect("LIV-2", "ponged", conn=conn)
        return play

    assert played("one", "two").verdict("ponged") is Verdict.OK
    assert played("two").verdict("ponged") is Verdict.OK
    assert played("one").verdict("ponged") is Verdict.FAILED
    assert played().verdict("ponged") is Verdict.FAILED
    assert played("three").verdict("ponged") is Verdict.FAILED
    assert played("two", at_s=0.5).verdict("ponged") is Verdict.LATE
    assert played("two", at_s=0.5, jitter_s=0.4).verdict("ponged") is Verdict.UNKNOWN


def test_a_ping_just_before_the_end_asks_for_nothing() -> None:
    play = Play("LIV-2")
    conn = play.dial("e1")
    play.frame(conn, "ping", by="executor", data="one")
    play.at(0.1).end(conn)
    play.at(5.0)
    play.expect("LIV-2", "ponged", conn=conn)
    assert play.verdict("ponged") is Verdict.OK


def test_no_ping_of_the_executor_is_vacuous() -> None:
    play = Play("LIV-2")
    play.expect("LIV-2", "ponged", conn=play.dial("e1"))
    assert play.verdict("ponged") is Verdict.VACUOUS
