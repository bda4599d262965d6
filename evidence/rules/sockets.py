"""Rules about connections: upgrades, ends, pings and pongs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from evidence.events import Closed, Expect, Frame
from evidence.history import History
from evidence.rules import BLURRED, STALLED, rule
from evidence.rules.base import as_list, finding, judged, never, seconds, stretch, window
from evidence.verdict import Finding, Verdict
from evidence.views import Connection
from evidence.window import NS_PER_S, Span


@rule("closed", doubt=STALLED)
def closed(
    history: History,
    expect: Expect,
    *,
    conn: int,
    after: int,
    latest: str | float | None = None,
    earliest: str | float = "0",
    g: float | None = None,
) -> Finding:
    """The relay ends the connection in the window: by a close frame, or by ending the socket."""
    connection = history.connection(conn)
    allowed, start = window(history, connection.tenant, earliest, latest, g), history.span(after)
    expected, end = f"the relay ends connection {conn}", connection.relay_end
    if end is not None:
        return judged(
            history,
            expect,
            Span.at(end.t),
            start,
            allowed,
            expected=expected,
            what="it ended it",
            events=(after, end.n),
        )
    if connection.closed is not None:
        seen = f"the {connection.closed.by} ended it first"
        return finding(expect, Verdict.VACUOUS, expected=expected, seen=seen, events=(connection.closed.n,))
    return never(
        history, expect, history.end_ns, start, allowed, expected=expected, what="it stayed open", events=(after,)
    )


@rule("open", doubt=BLURRED)
def stays_open(
    history: History, expect: Expect, *, conn: int, since: int | None = None, until: int | None = None
) -> Finding:
    """The relay does not end the connection in between."""
    connection, inside = history.connection(conn), stretch(history, since, until)
    expected, end = f"connection {conn} stays open", connection.relay_end
    if connection.upgraded_ns is None:
        return finding(expect, Verdict.FAILED, expected=expected, seen="it was never accepted")
    if end is None and isinstance(connection.closed, Closed) and connection.closed.by == "network":
        end = connection.closed
    if end is not None and inside.holds(end):
        at_s = (end.t - inside.since_ns) / NS_PER_S
        code = f", code {end.code}" if end.code is not None else ""
        return finding(
            expect,
            Verdict.FAILED,
            expected=expected,
            seen=f"the relay ended it after {at_s:.3f} s{code}",
            measured_s=at_s,
            events=(end.n,),
        )
    return finding(expect, Verdict.OK, expected=expected, seen=f"open for {inside.length_s:.3f} s")


@rule("accepted", doubt=STALLED)
def accepted(history: History, expect: Expect, *, conn: int) -> Finding:
    """The upgrade was accepted; never answered: FAILED."""
    connection, expected = history.connection(conn), "the upgrade is accepted"
    if connection.upgraded_ns is not None:
        return finding(expect, Verdict.OK, expected=expected, seen="accepted", events=(connection.opened.n,))
    refusal = connection.refused
    seen = "never answered" if refusal is None else f"refused with {refusal.status} {refusal.body[:120]}".rstrip()
    return finding(expect, Verdict.FAILED, expected=expected, seen=seen, events=(connection.opened.n,))


@rule("refused", doubt=STALLED)
def refused(
    history: History,
    expect: Expect,
    *,
    conn: int,
    status: int | str | Sequence[int | str] | None = None,
    or_closed: bool = False,
) -> Finding:
    """The upgrade was refused with one of the codes (or classes, "4xx"); ``or_closed``: or ended by the relay later."""
    connection = history.connection(conn)
    codes = None if status is None else as_list(status)
    expected = "the upgrade is refused" + ("" if codes is None else f" with {' or '.join(map(str, codes))}")
    refusal = connection.refused
    if refusal is None or refusal.status == 0:
        if or_closed and connection.relay_end is not None:
            end = connection.relay_end
            return finding(expect, Verdict.OK, expected=expected, seen="ended after the upgrade", events=(end.n,))
        seen = "accepted" if connection.upgraded_ns is not None else "never answered"
        return finding(expect, Verdict.FAILED, expected=expected, seen=seen, events=(connection.opened.n,))
    good = codes is None or has_code(refusal.status, codes)
    return finding(
        expect,
        Verdict.OK if good else Verdict.FAILED,
        expected=expected,
        seen=f"refused with {refusal.status}",
        events=(refusal.n,),
    )


@rule("legible", doubt=STALLED)
def legible(history: History, expect: Expect, *, conn: int) -> Finding:
    """The body of the refusal is empty or UTF-8 text; an end after the upgrade has none (CON-11)."""
    connection, expected = history.connection(conn), "the refusal's body is empty or UTF-8 text"
    refusal = connection.refused
    if refusal is not None and refusal.status:
        verdict = Verdict.OK if refusal.utf8 else Verdict.FAILED
        seen, n = f"refused with {refusal.status} {refusal.body[:120]}".rstrip(), refusal.n
    elif connection.relay_end is not None:
        verdict, seen, n = Verdict.OK, "ended after the upgrade", connection.opened.n
    else:
        verdict, seen, n = Verdict.VACUOUS, "not refused", connection.opened.n
    return finding(expect, verdict, expected=expected, seen=seen, events=(n,))


def has_code(status: int, codes: Sequence[int | str]) -> bool:
    """Whether a status is one of the codes, or of one of the classes such as "4xx"."""
    return any(str(code) == str(status) or str(code).lower() == f"{status // 100}xx" for code in codes)


@rule("pings")
def pings(
    history: History, expect: Expect, *, conn: int, since: int | None = None, until: int | None = None
) -> Finding:
    """The longest gap between two pings is at most w, and their mean interval is i within slack (LIV-1)."""
    connection, inside = history.connection(conn), stretch(history, since, until)
    wait_s, interval_s, slack_s = (seconds(history, name) for name in ("w", "i", "slack"))
    first_ns = max(inside.since_ns, connection.upgraded_ns or 0)
    last_ns = inside.until_ns if connection.end_ns is None else min(inside.until_ns, connection.end_ns)
    expected = f"a ping at least every {wait_s:g} s, every {interval_s:g} s in the mean"
    if connection.upgraded_ns is None or (last_ns - first_ns) / NS_PER_S < interval_s + slack_s:
        return finding(expect, Verdict.VACUOUS, expected=expected, seen="the connection was up for too short a time")
    sent = [each for each in relay_pings(connection) if first_ns <= each.t <= last_ns]
    moments = [first_ns, *(each.t for each in sent), last_ns]
    longest_s = max(b - a for a, b in pairwise(moments)) / NS_PER_S
    jitter_s = history.worst_jitter(first_ns, last_ns) / NS_PER_S
    events = [each.n for each in sent[:20]]
    if longest_s > wait_s:
        verdict = Verdict.UNKNOWN if longest_s - wait_s <= jitter_s else Verdict.LATE
        return finding(
            expect, verdict, expected=expected, seen=f"none for {longest_s:.3f} s", measured_s=longest_s, events=events
        )
    if len(sent) < 2:
        return finding(expect, Verdict.OK, expected=expected, seen=f"longest gap {longest_s:.3f} s", events=events)
    mean_s = (sent[-1].t - sent[0].t) / NS_PER_S / (len(sent) - 1)
    off_s = abs(mean_s - interval_s)
    verdict = Verdict.OK if off_s <= slack_s else Verdict.UNKNOWN if off_s - slack_s <= jitter_s else Verdict.FAILED
    return finding(
        expect,
        verdict,
        expected=expected,
        seen=f"longest gap {longest_s:.3f} s, mean interval {mean_s:.3f} s",
        measured_s=mean_s,
        events=events,
    )


@rule("ponged")
def ponged(
    history: History,
    expect: Expect,
    *,
    conn: int,
    since: int | None = None,
    until: int | None = None,
    latest: str | float = "slack",
) -> Finding:
    """Every ping of the executor is answered by its payload, or by that of a later ping, within ``latest`` (LIV-2)."""
    connection, inside = history.connection(conn), stretch(history, since, until)
    limit_s = seconds(history, latest, connection.tenant)
    asked = [f for f in connection.frames if f.by == "executor" and f.op == "ping" and inside.holds(f)]
    pongs = [f for f in connection.frames if f.by == "relay" and f.op == "pong"]
    expected = f"each ping is answered within {limit_s:g} s"
    if not asked:
        return finding(expect, Verdict.VACUOUS, expected=expected, seen="the executor sent no ping in that time")
    slowest_s = 0.0
    for place, ping in enumerate(asked):
        payloads = {(each.data, each.b64) for each in asked[place:]}
        answer = next((p for p in pongs if p.n > ping.n and (p.data, p.b64) in payloads), None)
        ended_ns = history.end_ns if connection.end_ns is None else connection.end_ns
        took_s = ((ended_ns if answer is None else answer.t) - ping.t) / NS_PER_S
        if took_s > limit_s:
            jitter_s = history.worst_jitter(ping.t, history.end_ns if answer is None else answer.t) / NS_PER_S
            verdict = Verdict.FAILED if answer is None else Verdict.LATE
            return finding(
                expect,
                Verdict.UNKNOWN if took_s - limit_s <= jitter_s else verdict,
                expected=expected,
                seen="never answered" if answer is None else f"answered after {took_s:.3f} s",
                measured_s=took_s,
                events=(ping.n,),
            )
        slowest_s = max(slowest_s, took_s)
    return finding(
        expect,
        Verdict.OK,
        expected=expected,
        seen=f"{len(asked)} answered, the slowest after {slowest_s:.3f} s",
        measured_s=slowest_s,
        events=[each.n for each in asked[:20]],
    )


def relay_pings(connection: Connection) -> list[Frame]:
    """The pings that the relay sent on the connection."""
    return [each for each in connection.frames if each.by == "relay" and each.op == "ping"]
