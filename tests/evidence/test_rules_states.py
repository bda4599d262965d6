"""transition, stays, listed, not_listed: with a list, and on the wire alone."""

from __future__ import annotations

import pytest

from evidence.events import Jitter, Seen
from evidence.events import Poll as PollEvent
from evidence.verdict import Verdict
from tests.evidence.evidence_play import Play


def dying(dead_s: float, *, watched_s: float = 5.0, step_s: float = 0.05) -> tuple[Play, int]:
    """e1 closes at 1 s and is listed DEAD from ``dead_s`` on."""
    play = Play("LIV-7")
    play.app()
    conn = play.dial("e1")
    play.polls(0.1, 1.0, e1="HEALTHY")
    after = play.at(1.0).end(conn)
    play.polls(1.0, dead_s, step_s, e1="DISCONNECTED")
    play.polls(dead_s, watched_s, step_s, e1="DEAD")
    return play, after


@pytest.mark.parametrize(
    ("dead_s", "verdict"),
    [(2.5, Verdict.EARLY), (3.05, Verdict.OK), (3.4, Verdict.OK), (3.6, Verdict.LATE), (9.0, Verdict.FAILED)],
)
def test_transition_is_judged_by_its_interval(dead_s: float, verdict: Verdict) -> None:
    play, after = dying(dead_s)
    play.expect("LIV-7", "transition", executor="e1", to="DEAD", after=after, earliest="g", latest="g+scan+slack")
    assert play.verdict("transition") is verdict


def test_transition_carries_measurement_and_window() -> None:
    play, after = dying(2.5)
    play.expect("LIV-7", "transition", executor="e1", to="DEAD", after=after, earliest="g", latest="g+scan+slack")
    finding = play.found("transition")
    assert finding.measured_s == pytest.approx(1.5)
    assert finding.window_s == pytest.approx((2.0, 2.4125))
    assert "between 1.450 and 1.500 s" in finding.seen


def test_a_coarse_watch_gives_the_benefit_of_the_doubt() -> None:
    play, after = dying(2.5, step_s=1.0)  # DISCONNECTED at 1.0 and 2.0, DEAD at 2.5: after 1 to 1.5 s
    play.expect("LIV-7", "transition", executor="e1", to="DEAD", after=after, earliest="1.2", latest="1.3")
    assert play.verdict("transition") is Verdict.OK


def test_jitter_makes_a_near_miss_unknown() -> None:
    play, after = dying(2.5)
    play.add(Jitter, worst=600_000_000)
    play.expect("LIV-7", "transition", executor="e1", to="DEAD", after=after, earliest="g", latest="g+scan+slack")
    assert play.verdict("transition") is Verdict.UNKNOWN


def test_a_watch_that_ends_inside_the_window_is_unknown() -> None:
    play, after = dying(3.2, watched_s=3.2)
    play.expect("LIV-7", "transition", executor="e1", to="DEAD", after=after, earliest="g", latest="g+scan+slack")
    assert play.verdict("transition") is Verdict.UNKNOWN


def test_no_list_at_all_is_unknown() -> None:
    play = Play("LIV-7")
    after = play.end(play.dial("e1"))
    play.expect("LIV-7", "transition", executor="e1", to="DEAD", after=after, latest="g")
    assert play.verdict("transition") is Verdict.UNKNOWN


def test_grace_is_the_applications_own_or_the_given_one() -> None:
    for given, own_s, verdict in ((None, 1.0, Verdict.OK), (None, 2.0, Verdict.EARLY), (1.0, 2.0, Verdict.OK)):
        play = Play("LIV-9")
        play.app(grace_s=own_s)
        after = play.end(play.dial("e1"))
        play.polls(0.0, 1.1, e1="DISCONNECTED")
        play.at(1.1).poll(e1="DEAD")
        play.expect("LIV-9", "transition", executor="e1", to="DEAD", after=after, earliest="g", latest="2*g", g=given)
        assert play.verdict("transition") is verdict


def test_gone_after_its_recovery_counts_as_dead() -> None:
    for asked, verdict in ((True, Verdict.OK), (False, Verdict.UNKNOWN)):
        play = Play("LIV-7")
        conn, peer = play.dial("e1"), play.dial("e2")
        after = play.end(conn)
        play.polls(0.0, 2.1, e1="DISCONNECTED", e2="HEALTHY")
        if asked:
            play.recover(peer, "e1")
        play.polls(2.1, 2.3, e2="HEALTHY")
        play.expect("LIV-7", "transition", executor="e1", to="DEAD", after=after, earliest="g", latest="g+scan+slack")
        assert play.verdict("transition") is verdict


def test_a_poll_as_reference_is_an_interval() -> None:
    play = Play("LIV-7")
    play.end(play.dial("e1"))
    play.poll(e1="HEALTHY")
    after = play.at(0.5).poll(took_s="0.05", e1="DISCONNECTED")  # it changed between 0 and 0.5 s
    play.at(2.3).poll(e1="DISCONNECTED")
    play.at(2.4).poll(e1="DEAD")
    play.expect("LIV-7", "transition", executor="e1", to="DEAD", after=after, earliest="g", latest="g+scan+slack")
    assert play.verdict("transition") is Verdict.OK


def test_several_targets_and_small_letters() -> None:
    play = Play("LIV-7")
    after = play.end(play.dial("e1"))
    play.at(0.1).poll(e1="disconnected")
    play.expect("LIV-7", "transition", executor="e1", to=["Disconnected", "DEAD"], after=after, latest="slack")
    assert play.verdict("transition") is Verdict.OK


def test_stays_looks_at_every_list_in_between() -> None:
    play = Play("LIV-6")
    since = play.end(play.dial("e1"))
    play.polls(0.1, 0.5, e1="DISCONNECTED")
    play.at(0.5).dial("e1")
    until = play.poll(e1="HEALTHY")
    play.expect("LIV-6", "stays", executor="e1", statuses="DISCONNECTED", since=since, until=until)
    assert play.verdict("stays") is Verdict.OK
    play = Play("LIV-6")
    since = play.end(play.dial("e1"))
    play.at(0.1).poll(e1="DISCONNECTED")
    wrong = play.at(0.2).poll(e1="DEAD")
    play.expect("LIV-6", "stays", executor="e1", statuses=["DISCONNECTED"], since=since)
    finding = play.found("stays")
    assert (finding.verdict, finding.events) == (Verdict.FAILED, (wrong,))


def test_stays_without_a_list_in_between_is_vacuous() -> None:
    play = Play("LIV-6")
    since = play.end(play.dial("e1"))
    play.expect("LIV-6", "stays", executor="e1", statuses="HEALTHY", since=since)
    assert play.verdict("stays") is Verdict.VACUOUS


def test_a_relay_that_lists_one_id_twice_shows_both_statuses() -> None:
    play = Play("LIV-12")
    play.dial("e1")
    play.add(PollEvent, org="acme", app="shop", asked=0, executors=(Seen("e1", "HEALTHY"), Seen("e1", "DISCONNECTED")))
    play.expect("LIV-12", "stays", executor="e1", statuses="HEALTHY")
    assert play.verdict("stays") is Verdict.FAILED


def test_listed_finds_the_record_with_its_fields() -> None:
    def listing(hostname: str | None, at_s: float) -> Play:
        play = Play("HSK-2")
        play.dial("e1")
        after = play.recorder.last("frame", by="executor")
        seen = Seen("e1", "HEALTHY", version="v1", hostname=hostname, metadata={"zone": "a", "rack": 1})
        play.at(at_s).add(PollEvent, org="acme", app="shop", asked=round(at_s * 1e9), executors=(seen,))
        play.expect(
            "HSK-2",
            "listed",
            executor="e1",
            after=after,
            fields={"status": "HEALTHY", "hostname": "h", "metadata": {"zone": "a"}},
        )
        return play

    assert listing("h", 0.2).verdict("listed") is Verdict.OK
    wrong = listing(None, 0.5).found("listed")
    assert wrong.verdict is Verdict.FAILED
    assert "'hostname': None" in wrong.seen
    assert listing(None, 0.2).verdict("listed") is Verdict.UNKNOWN


def test_listed_without_record_or_list() -> None:
    play = Play("HSK-2")
    play.dial("e1")
    play.expect("HSK-2", "listed", executor="e1", after=0)
    assert play.verdict("listed") is Verdict.UNKNOWN
    play = Play("HSK-2")
    play.dial("e1")
    play.at(3).poll(e2="HEALTHY")
    play.expect("HSK-2", "listed", executor="e1", after=0)
    assert play.found("listed").seen.startswith("never listed")


def test_not_listed() -> None:
    for statuses, shown, verdict in (
        (None, {"e1": "HEALTHY"}, Verdict.FAILED),
        ("HEALTHY", {"e1": "DEAD"}, Verdict.OK),
        (["DEAD"], {"e1": "DEAD"}, Verdict.FAILED),
        (None, {"e2": "HEALTHY"}, Verdict.OK),
        (None, None, Verdict.VACUOUS),
    ):
        play = Play("HSK-4")
        play.dial("e1")
        if shown is not None:
            play.poll(**shown)
        play.expect("HSK-4", "not_listed", executor="e1", statuses=statuses)
        assert play.verdict("not_listed") is verdict


BLIND = {"list": False}


def test_without_a_list_the_closed_socket_shows_disconnected() -> None:
    play = Play("LIV-3", capabilities=BLIND)
    conn = play.dial("e1")
    after = play.at(1.0).ping(conn)
    play.at(2.5).end(conn, by="relay", how="fin")
    play.expect("LIV-3", "transition", executor="e1", to="DISCONNECTED", after=after, earliest="w", latest="w+i+scan")
    assert play.verdict("transition") is Verdict.OK


@pytest.mark.parametrize(("gone", "verdict"), [(True, Verdict.UNSUPPORTED), (False, Verdict.FAILED)])
def test_without_a_list_nothing_shows_the_end_of_what_the_executor_left(gone: bool, verdict: Verdict) -> None:
    play = Play("LIV-4", capabilities=BLIND)
    conn = play.dial("e1")
    after = play.at(1.0).end(conn, how="rst") if gone else play.at(1.0).ping(conn)
    play.at(9.0)
    play.expect("LIV-4", "transition", executor="e1", to="DISCONNECTED", after=after, latest="slack")
    assert play.verdict("transition") is verdict


def test_without_a_list_the_recovery_frame_shows_dead() -> None:
    play = Play("LIV-7", capabilities=BLIND)
    conn, peer = play.dial("e1"), play.dial("e2")
    after = play.end(conn)
    play.at(1.0).recover(peer, "e1")
    play.expect("LIV-7", "transition", executor="e1", to=["DEAD", "GONE"], after=after, earliest="g", latest="2*g")
    assert play.verdict("transition") is Verdict.EARLY


def test_without_a_list_and_without_a_peer_dead_shows_nowhere() -> None:
    for peer, verdict in ((True, Verdict.FAILED), (False, Verdict.UNSUPPORTED)):
        play = Play("LIV-7", capabilities=BLIND)
        conn = play.dial("e1")
        if peer:
            play.dial("e2")
        after = play.end(conn)
        play.at(9.0)
        play.expect("LIV-7", "transition", executor="e1", to="DEAD", after=after, earliest="g", latest="2*g")
        assert play.verdict("transition") is verdict


def test_without_a_list_healthy_and_fields_show_nowhere() -> None:
    play = Play("LIV-6", capabilities=BLIND)
    conn = play.dial("e1")
    play.expect("LIV-6", "transition", executor="e1", to="HEALTHY", after=0, latest="1")
    play.expect("LIV-6", "listed", executor="e1", after=0)
    play.expect("LIV-6", "not_listed", executor="e1")
    play.expect("LIV-6", "stays", executor="e1", statuses="DEAD")
    play.end(conn)
    assert play.judge().clauses == {"LIV-6": Verdict.UNSUPPORTED}


def test_without_a_list_nothing_on_the_wire_may_contradict_stays() -> None:
    def wire(*, closes: bool = False, recovers: bool = False, statuses: str = "HEALTHY") -> Verdict:
        play = Play("LIV-5", capabilities=BLIND)
        conn, peer = play.dial("e1"), play.dial("e2")
        play.recover(peer, "e1")
        since = play.at(1.0).ping(peer)
        if closes:
            play.end(conn, by="relay")
        if recovers:
            play.recover(peer, "e1")
        play.expect("LIV-5", "stays", executor="e1", statuses=statuses, since=since)
        return play.verdict("stays")

    assert wire() is Verdict.OK
    assert wire(closes=True) is Verdict.FAILED
    assert wire(recovers=True) is Verdict.FAILED
    assert wire(closes=True, statuses="DISCONNECTED") is Verdict.OK
    assert wire(recovers=True, statuses="DEAD") is Verdict.UNSUPPORTED
    assert wire(recovers=True, statuses="DISCONNECTED") is Verdict.FAILED


def test_without_a_list_the_end_of_a_replaced_connection_is_no_disconnection() -> None:
    def ended(*moments_s: float) -> Verdict:
        play = Play("LIV-3", capabilities=BLIND)
        old = play.dial("e1")
        after = play.at(1.0).ping(old)
        new = play.at(1.1).dial("e1")
        for conn, moment_s in zip((old, new), moments_s, strict=False):
            play.at(moment_s).end(conn, by="relay")
        play.at(9.0)
        play.expect("LIV-3", "transition", executor="e1", to="DISCONNECTED", after=after, earliest="1", latest="2")
        return play.verdict("transition")

    assert ended(1.2, 2.5) is Verdict.OK
    assert ended(2.4, 2.5) is Verdict.OK
    assert ended(1.2, 1.5) is Verdict.EARLY
    assert ended(1.2) is Verdict.FAILED
