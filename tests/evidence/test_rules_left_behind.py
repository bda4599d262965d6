"""released, cleared: right, but left something behind."""

from __future__ import annotations

import pytest

from evidence import events
from evidence.verdict import Verdict
from tests.evidence.evidence_play import APP, ORG, Play


def left(ended_s: float | None, *, watched_s: float = 9.0, by: str = "relay", jitter_s: float = 0.0) -> Verdict:
    """A socket that should go within 1.25 s of its upgrade."""
    play = Play("HSK-4")
    conn = play.dial("e1", shake=False)
    if ended_s is not None:
        play.at(ended_s).end(conn, by=by)
    play.at(watched_s)
    if jitter_s:
        play.add(events.Jitter, worst=round(jitter_s * 1e9))
    play.expect("HSK-4", "released", conn=conn, after=1, latest="handshake")
    return play.verdict("released")


def test_a_socket_that_the_relay_gives_up_in_time() -> None:
    assert left(1.0) is Verdict.OK


@pytest.mark.parametrize("ended_s", [None, 5.0])
def test_a_socket_left_open_is_unclean(ended_s: float | None) -> None:
    assert left(ended_s) is Verdict.UNCLEAN


def test_within_the_hosts_own_jitter_or_too_short_a_watch_nothing_is_known() -> None:
    assert left(1.5, jitter_s=0.5) is Verdict.UNKNOWN
    assert left(None, watched_s=1.0) is Verdict.UNKNOWN


def test_a_socket_that_the_executor_ended_shows_nothing() -> None:
    assert left(1.0, by="executor") is Verdict.VACUOUS


def query(*readings: tuple[str, ...], app: str = APP, can: bool = True) -> Verdict:
    play = Play("REC-15", capabilities={"surfaced": can})
    play.app()
    play.end(play.dial("e1"))
    since = play.at(1.0).add(events.Note, text="recovered")
    for shown in readings:
        play.at(2.0).add(events.Surfaced, org=ORG, app=app, asked=round(1.5e9), executors=shown)
    play.expect("REC-15", "cleared", executor="e1", since=since)
    return play.verdict("cleared")


def test_what_is_over_is_surfaced_no_longer() -> None:
    assert query(()) is Verdict.OK
    assert query(("e2",)) is Verdict.OK
    assert query(("e1",), ()) is Verdict.OK  # taken back in the end
    assert query(("e1",)) is Verdict.UNCLEAN


def test_without_a_reading_or_a_query_nothing_is_shown() -> None:
    assert query() is Verdict.VACUOUS
    assert query(("e1",), app="other") is Verdict.VACUOUS
    assert query(("e1",), can=False) is Verdict.UNSUPPORTED
