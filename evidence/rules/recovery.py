"""Rules about how recoveries are dispatched."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from evidence.events import Expect
from evidence.history import History
from evidence.rules import STALLED, rule
from evidence.rules.base import finding, seconds, stretch
from evidence.verdict import Finding, Verdict
from evidence.views import Ask, Connection, Who
from evidence.window import NS_PER_S

_GROWTH = 1.25
_LEAST_FOR_GROWTH = 3  # dispatches: two pauses


@rule("sequential")
def sequential(
    history: History, expect: Expect, *, executor: str, app: str | None = None, org: str | None = None
) -> Finding:
    """At no time are two recoveries of the dead executor outstanding at two peers within their deadline (REC-10)."""
    who = history.who(executor, app=app, org=org)
    asked = history.recoveries(executor, who.tenant)
    expected = f"one recovery of {executor} at a time"
    if not asked:
        return finding(expect, Verdict.VACUOUS, expected=expected, seen="none was ever asked for")
    pair = overlapping(history, who)
    if pair is None:
        return finding(
            expect,
            Verdict.OK,
            expected=expected,
            seen=f"{len(asked)} one after the other",
            events=[ask.request.frame.n for _, ask in asked],
        )
    first, second = pair
    after_s = (second.sent_ns - first.sent_ns) / NS_PER_S
    return finding(
        expect,
        Verdict.FAILED,
        expected=expected,
        seen=f"a second peer was asked {after_s:.3f} s after the first",
        measured_s=after_s,
        events=(first.request.frame.n, second.request.frame.n),
    )


def overlapping(history: History, who: Who) -> tuple[Ask, Ask] | None:
    """The first two recoveries of one executor that were surely outstanding together at two peers."""
    asked = sorted(history.recoveries(who.executor, who.tenant), key=lambda pair: pair[1].sent_ns)
    for (conn, ask), later in zip(asked, _next_elsewhere(asked), strict=True):
        if later is not None and later.sent_ns < outstanding_until(history, who, conn, ask):
            return ask, later
    return None


def _next_elsewhere(asked: Sequence[tuple[Connection, Ask]]) -> list[Ask | None]:
    """For each recovery the next one of another peer: no other can overlap it where this one doesn't."""
    found: list[Ask | None] = [None] * len(asked)
    for place in range(len(asked) - 2, -1, -1):
        (conn, _), (other, later) = asked[place], asked[place + 1]
        found[place] = later if other.executor != conn.executor else found[place + 1]
    return found


def outstanding_until(history: History, who: Who, conn: Connection, ask: Ask) -> int:
    """Up to when a recovery was surely outstanding, ns.

    It ends with its answer, the end of the connection (also with the relay's process), the deadline, or the dead
    executor's return. A frame is seen later than it left, so the deadline is cut by the slack; a peer on which
    something was broken on purpose may be lost to the relay before anybody else can see it.
    """
    deadline_s = seconds(history, "recovery - slack")
    jitter_ns = history.worst_jitter(ask.sent_ns, ask.sent_ns + int(deadline_s * NS_PER_S))
    ends = [ask.sent_ns + int(deadline_s * NS_PER_S) - jitter_ns]
    ends += [moment for moment in (ask.answered_ns, conn.end_ns, conn.fault_ns) if moment is not None]
    if conn.relay_end is not None:  # its close frame: the socket's end may be seen much later
        ends.append(conn.relay_end.t)
    ends += [
        back.upgraded_ns
        for back in history.conns_of(who)
        if back.upgraded_ns is not None and back.upgraded_ns > ask.sent_ns
    ]
    lost_ns = history.lists_of(who.tenant).lost_ns(conn.executor, ask.sent_ns)
    if lost_ns is not None:
        ends.append(lost_ns)
    return min(ends)


@rule("growing", doubt=STALLED)
def growing(
    history: History,
    expect: Expect,
    *,
    executor: str,
    since: int | None = None,
    until: int | None = None,
    at_least: int = 4,
    app: str | None = None,
    org: str | None = None,
) -> Finding:
    """Dispatches go on; the pauses between them grow, and none is longer than the cap (REC-12).

    Grown means: the last third of the pauses is longer than the first by a quarter in the mean, which noise is not.
    """
    who, inside = history.who(executor, app=app, org=org), stretch(history, since, until)
    asked = [pair for pair in history.recoveries(executor, who.tenant) if inside.holds(pair[1].request.frame)]
    cap_s, slack_s = seconds(history, "backoff_cap"), seconds(history, "slack")
    expected = f"at least {at_least} dispatches, pauses growing up to {cap_s:g} s"
    events = [ask.request.frame.n for _, ask in asked]
    if len(asked) < max(at_least, _LEAST_FOR_GROWTH):
        seen = f"{len(asked)} in {inside.length_s:.3f} s"
        return finding(expect, Verdict.FAILED, expected=expected, seen=seen, events=events)
    pauses_s = [
        (later.sent_ns - _ended_ns(history, conn, ask)) / NS_PER_S for (conn, ask), (_, later) in pairwise(asked)
    ]
    longest_s, third = max(pauses_s), max(1, len(pauses_s) // 3)
    jitter_s = history.worst_jitter(inside.since_ns, inside.until_ns) / NS_PER_S
    seen = f"{len(asked)} dispatches, pauses {', '.join(f'{pause:.3f}' for pause in pauses_s[:12])} s"
    if longest_s > cap_s + slack_s:
        verdict = Verdict.UNKNOWN if longest_s - cap_s - slack_s <= jitter_s else Verdict.LATE
        return finding(expect, verdict, expected=expected, seen=seen, measured_s=longest_s, events=events)
    at_cap = min(pauses_s) >= cap_s - slack_s
    grew = _mean(pauses_s[-third:]) >= _GROWTH * _mean(pauses_s[:third])
    verdict = Verdict.OK if grew or at_cap else Verdict.FAILED
    return finding(expect, verdict, expected=expected, seen=seen, measured_s=longest_s, events=events)


@rule("spread", doubt=STALLED)
def spread(
    history: History, expect: Expect, *, app: str, dead: Sequence[str], at_least: int, org: str | None = None
) -> Finding:
    """Recoveries of many dead executors are asked of at least so many different peers (REC-18)."""
    tenant = history.tenant(app, org)
    expected = f"recoveries of {len(dead)} executors asked of at least {at_least} peers"
    peers: dict[str, int] = {}
    for executor in dead:
        for conn, _ in history.recoveries(executor, tenant)[:1]:
            peers[conn.executor] = peers.get(conn.executor, 0) + 1
    if not peers:
        return finding(expect, Verdict.VACUOUS, expected=expected, seen="no recovery was asked for")
    seen = ", ".join(f"{count} of {peer}" for peer, count in sorted(peers.items()))
    good = len(peers) >= at_least
    return finding(expect, Verdict.OK if good else Verdict.FAILED, expected=expected, seen=f"asked {seen}")


def _ended_ns(history: History, conn: Connection, ask: Ask) -> int:
    deadline_ns = ask.sent_ns + int(seconds(history, "recovery") * NS_PER_S)
    return min(moment for moment in (ask.answered_ns, conn.end_ns, deadline_ns) if moment is not None)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
