"""sequential, growing, spread; and the invariants REC-3, 4, 5, 10 and 26."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from evidence import events
from evidence.verdict import Finding, Verdict
from tests.evidence.evidence_play import ORG, Play


def by_rule(play: Play, rule: str) -> list[Finding]:
    return [each for each in play.judge().findings if each.rule == rule]


def one(play: Play, rule: str) -> Verdict:
    [finding] = by_rule(play, rule)
    return finding.verdict


# ---------------------------------------------------------------- one at a time


def two_asked(second_s: float = 1.0) -> tuple[Play, int, int]:
    """e1 is dead; e2 is asked at 0.5 s. The caller goes on from there, up to asking e3 at ``second_s``."""
    play = Play("REC-10")
    play.end(play.dial("e1"))
    first, second = play.dial("e2"), play.dial("e3")
    play.at(0.5).recover(first, "e1")
    return play.at(second_s), first, second


def judged(play: Play) -> Verdict:
    play.expect("REC-10", "sequential", executor="e1")
    found = {each.rule: each.verdict for each in play.judge().findings}
    assert found["sequential"] == found["one_at_a_time"]
    return found["sequential"]


def test_two_at_once_is_a_fault() -> None:
    play, _, second = two_asked()
    play.recover(second, "e1")
    assert judged(play) is Verdict.FAILED


@pytest.mark.parametrize("end", ["answer", "loss", "close frame", "fault", "relay", "return", "poll"])
def test_the_first_one_may_have_ended(end: str) -> None:
    play, first, second = two_asked()
    match end:
        case "answer":
            play.reply(first, play.recorder.last("frame", conn=first, by="relay", op="text"), success=False)
        case "loss":
            play.end(first, by="executor", how="rst")
        case "close frame":  # the end of the socket is seen later
            play.frame(first, "close", code=1011)
        case "fault":
            play.add(events.Fault, kind="freeze", conn=first)
        case "relay":
            play.add(events.Relay, what="killed")
        case "return":
            play.dial("e1")
        case "poll":
            play.poll(e1="DEAD", e2="DISCONNECTED", e3="HEALTHY")
    play.at(1.1).recover(second, "e1")
    assert judged(play) is Verdict.OK


def test_the_deadline_may_have_passed_or_not() -> None:
    for second_s, verdict in ((2.6, Verdict.FAILED), (2.7, Verdict.OK), (3.1, Verdict.OK)):
        play, _, second = two_asked(second_s)
        play.recover(second, "e1")
        assert judged(play) is verdict


def test_the_same_peer_again_is_not_two_peers() -> None:
    play, first, _ = two_asked()
    play.recover(first, "e1")
    assert judged(play) is Verdict.OK


def test_nothing_asked_is_vacuous() -> None:
    play = Play("REC-10")
    play.dial("e1")
    play.expect("REC-10", "sequential", executor="e1")
    assert one(play, "sequential") is Verdict.VACUOUS
    assert by_rule(Play("LIV-1"), "one_at_a_time") == []


# ---------------------------------------------------------------- growing and spread


def refusing(*pauses_s: float, answered: bool = True, jitter_s: float = 0.0) -> Play:
    play = Play("REC-12")
    play.end(play.dial("e1"))
    peer = play.dial("e2")
    now_s = 1.0
    for pause_s in (0.0, *pauses_s):
        now_s += pause_s
        ask = play.at(now_s).recover(peer, "e1")
        if answered:
            play.reply(peer, ask, success=False)
        else:
            now_s += 2.5
    play.at(now_s + 1)
    if jitter_s:
        play.add(events.Jitter, worst=round(jitter_s * 1e9))
    play.expect("REC-12", "growing", executor="e1", at_least=3)
    return play


@pytest.mark.parametrize(
    ("pauses_s", "verdict"),
    [
        ((0.25, 0.5, 1.0, 1.0), Verdict.OK),
        ((1.0, 1.0, 1.0), Verdict.OK),  # at the cap from the start
        ((0.25, 0.5), Verdict.OK),
        ((0.1, 0.1, 0.1, 0.1), Verdict.NON_STRICT),
        ((0.064, 0.065, 0.063, 0.065, 0.066, 0.067), Verdict.NON_STRICT),  # a hot loop: noise is no growth
        ((0.25, 0.3), Verdict.NON_STRICT),
        ((0.25, 0.5, 1.5), Verdict.NON_STRICT),
        ((0.25,), Verdict.NON_STRICT),
    ],
)
def test_growing(pauses_s: Sequence[float], verdict: Verdict) -> None:
    assert one(refusing(*pauses_s), "growing") is verdict


def test_growing_counts_the_pause_from_the_deadline_and_allows_for_jitter() -> None:
    assert one(refusing(0.25, 0.5, answered=False), "growing") is Verdict.OK
    assert one(refusing(0.25, 0.5, 1.4, jitter_s=0.2), "growing") is Verdict.UNKNOWN


def test_spread() -> None:
    for peers, verdict in (((2, 3), Verdict.OK), ((2, 2), Verdict.NON_STRICT), ((), Verdict.VACUOUS)):
        play = Play("REC-18")
        conns = {number: play.dial(f"e{number}") for number in (2, 3)}
        for dead, peer in enumerate(peers):
            play.recover(conns[peer], f"dead{dead}")
        play.expect("REC-18", "spread", app="shop", dead=["dead0", "dead1"], at_least=2)
        assert one(play, "spread") is verdict


# ---------------------------------------------------------------- REC-1


@pytest.mark.parametrize(
    ("ids", "verdict"),
    [
        (["e1"], Verdict.OK),
        (["e1", "e3"], Verdict.FAILED),
        (["e1", 3], Verdict.FAILED),
        ([], Verdict.FAILED),
        ([7], Verdict.FAILED),
        ("e1", Verdict.FAILED),
        (None, Verdict.FAILED),
    ],
)
def test_a_recovery_names_exactly_one(ids: object, verdict: Verdict) -> None:
    play = Play("REC-1")
    play.recover(play.dial("e2"), "e1")
    play.ask(play.dial("e4"), "recovery", executor_ids=ids)
    assert one(play, "names_exactly_one") is verdict


# ---------------------------------------------------------------- REC-3 and REC-4


def strangers(*, org: str = ORG, app: str = "shop", known_here: bool = False) -> Play:
    play = Play("REC-3", "REC-4")
    play.end(play.dial("e1"))
    stranger = play.dial("e2", app=app, org=org)
    if known_here:
        play.end(play.dial("e1", app=app, org=org))
    play.recover(stranger, "e1")
    return play


def test_recovery_stays_within_application_and_organisation() -> None:
    assert strangers(app="other").judge().clauses["REC-3"] is Verdict.FAILED
    assert strangers(org="evil").judge().clauses["REC-4"] is Verdict.FAILED
    assert strangers(org="evil", app="other").judge().clauses == {"REC-3": Verdict.VACUOUS, "REC-4": Verdict.FAILED}


def test_an_id_that_is_at_home_in_both_is_no_stranger() -> None:
    assert strangers(app="other", known_here=True).judge().clauses["REC-3"] is Verdict.OK
    assert strangers(org="evil", known_here=True).judge().clauses["REC-4"] is Verdict.OK


def test_with_one_application_there_is_nothing_to_show() -> None:
    assert strangers().judge().clauses == {"REC-3": Verdict.VACUOUS, "REC-4": Verdict.VACUOUS}


def test_an_id_that_nobody_knows_is_no_stranger() -> None:
    play = Play("REC-3")
    peer = play.dial("e1")
    play.dial("e2", app="other")
    play.recover(peer, "nobody")
    assert play.judge().clauses == {"REC-3": Verdict.OK}


# ---------------------------------------------------------------- REC-5


def test_the_dead_one_itself_is_never_asked() -> None:
    play = Play("REC-5")
    conn = play.dial("e1")
    play.recover(conn, "e1")
    assert one(play, "healthy_peer_only") is Verdict.FAILED


def around(before: str, after: str, *, fault: bool = False) -> Verdict:
    play = Play("REC-5")
    play.end(play.dial("e1"))
    peer = play.dial("e2")
    play.at(0.5).poll(e1="DEAD", e2=before)
    if fault:
        play.at(0.7).add(events.Fault, kind="freeze", conn=peer)
    play.at(1.0).recover(peer, "e1")
    play.at(1.1).poll(e1="DEAD", e2=after)
    return one(play, "healthy_peer_only")


def test_a_peer_that_is_listed_as_lost_on_both_sides_of_the_frame() -> None:
    assert around("DISCONNECTED", "DISCONNECTED") is Verdict.FAILED
    assert around("DEAD", "DISCONNECTED") is Verdict.FAILED
    assert around("HEALTHY", "DISCONNECTED") is Verdict.OK
    assert around("DISCONNECTED", "HEALTHY") is Verdict.OK
    assert around("DISCONNECTED", "DISCONNECTED", fault=True) is Verdict.OK


def test_a_list_from_before_the_peers_newest_handshake_says_nothing() -> None:
    play = Play("REC-5")
    first = play.dial("e2")
    play.at(0.2).end(first)
    play.at(0.5).poll(e1="DEAD", e2="DISCONNECTED")
    peer = play.at(0.6).dial("e2")
    play.at(1.0).recover(peer, "e1")
    play.at(1.4).end(peer)
    play.at(1.5).poll(e1="DEAD", e2="DISCONNECTED")
    assert one(play, "healthy_peer_only") is Verdict.OK


# ---------------------------------------------------------------- REC-26


def named(
    *,
    listed: str = "HEALTHY",
    listed_s: float = 0.5,
    named_s: float = 1.0,
    gone_s: float | None = None,
    fault_s: float | None = None,
    peer_fault: bool = False,
    killed_s: float | None = None,
    grace_s: float = 2.0,
) -> Verdict:
    """e1 is HEALTHY on one connection; e2 is asked to recover it at ``named_s``."""
    play = Play("REC-26")
    play.app(grace_s=grace_s)
    conn, peer = play.dial("e1"), play.dial("e2")
    play.at(listed_s).poll(e1=listed, e2="HEALTHY")
    steps: list[tuple[float, str]] = [(named_s, "named")]
    steps += [(gone_s, "gone")] if gone_s is not None else []
    steps += [(fault_s, "fault")] if fault_s is not None else []
    steps += [(killed_s, "killed")] if killed_s is not None else []
    for at_s, what in sorted(steps):
        play.at(at_s)
        if what == "named":
            if peer_fault:
                play.add(events.Fault, kind="freeze", conn=peer)
            play.recover(peer, "e1")
        elif what == "gone":
            play.end(conn)
        elif what == "killed":
            play.add(events.Relay, what="killed")
        else:
            play.add(events.Fault, kind="freeze", conn=conn)
    play.at(3.0)
    return one(play, "no_healthy_executor_named")


def test_a_healthy_executor_is_never_named() -> None:
    assert named() is Verdict.FAILED


def test_what_is_not_beyond_doubt_is_no_fault() -> None:
    assert named(listed="DEAD") is Verdict.OK
    assert named(listed_s=0.9) is Verdict.OK  # the frame may have crossed its return
    assert named(gone_s=0.8) is Verdict.OK  # for early death there is LIV-7
    assert named(fault_s=0.8) is Verdict.OK
    assert named(peer_fault=True) is Verdict.OK  # it reads late
    assert named(killed_s=0.7) is Verdict.OK
    assert named(named_s=2.6) is Verdict.OK  # a grace period has passed since the list
    assert named(grace_s=0.4) is Verdict.OK


def test_without_a_list_nobody_is_known_to_be_healthy() -> None:
    play = Play("REC-26")
    play.dial("e1")
    play.at(1.0).recover(play.dial("e2"), "e1")
    assert one(play, "no_healthy_executor_named") is Verdict.OK


def test_a_shorter_grace_was_set_meanwhile() -> None:
    play = Play("REC-26")
    play.app(grace_s=60)
    play.dial("e1")
    peer = play.dial("e2")
    play.add(events.Setting, org=ORG, app="shop", asked=0, changes={"executorTimeoutSecs": 1})
    play.at(0.5).poll(e1="HEALTHY", e2="HEALTHY")
    play.at(1.6).recover(peer, "e1")
    assert one(play, "no_healthy_executor_named") is Verdict.OK
