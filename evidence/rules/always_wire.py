"""Invariants of the wire: what every frame of a relay keeps, whatever a scenario is about.

They judge only what is beyond doubt: a frame is seen later than it left, a connection on which something was broken on
purpose shows things late, and a relay that was killed forgets what it had asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from evidence.events import Fault, Frame, Relay
from evidence.history import History
from evidence.rules import invariant
from evidence.rules.base import seconds
from evidence.rules.sockets import relay_pings
from evidence.verdict import Finding, Verdict
from evidence.views import Ask, Connection
from evidence.window import NS_PER_S


@invariant("HSK-1")
def handshake_first(history: History) -> list[Finding]:
    """The first text frame on each connection is executor_info with a request_id."""
    expected = "the first text frame is executor_info with a request_id"
    first = [frames[0] for conn in history.connections.values() if (frames := data_frames(conn))]
    bad = [
        frame
        for frame in first
        if frame.size is None and not ((m := history.message(frame)) and m.type == "executor_info" and m.request_id)
    ]
    return all_or_first("HSK-1", "handshake_first", expected, first, bad)


@invariant("HSK-7")
def nothing_before_handshake(history: History) -> list[Finding]:
    """Before executor_info is answered, no other request is sent on the connection."""
    expected = "no request but executor_info before the handshake completes"
    looked_at: list[Frame] = []
    bad: list[Frame] = []
    for conn in history.connections.values():
        if conn.upgraded_ns is None or any(f.by == "executor" and f.size is not None for f in conn.frames):
            continue  # an answer that was cut short in the history may have completed it
        done = next((f.n for f in conn.frames if f.t == conn.handshake_ns and f.by == "executor"), None)
        before = [f for f in data_frames(conn) if done is None or f.n < done]
        looked_at += before
        bad += [f for f in before if (m := history.message(f)) is not None and m.type not in ("", "executor_info")]
    return all_or_first("HSK-7", "nothing_before_handshake", expected, looked_at, bad)


@invariant("ENV-1")
def requests_have_ids(history: History) -> list[Finding]:
    """Every request is a JSON text frame with type and request_id, and no id is outstanding twice on a connection."""
    expected = "JSON text frames with type and request_id, no id outstanding twice on a connection"
    sent = [f for conn in history.connections.values() for f in data_frames(conn) if f.size is None]
    bad = [f for f in sent if not ((m := history.message(f)) and m.type and m.request_id)]
    if not bad:
        bad = [later.request.frame for _, later in _reused_ids(history)]
    return all_or_first("ENV-1", "requests_have_ids", expected, sent, bad)


def _reused_ids(history: History) -> Iterator[tuple[Ask, Ask]]:
    open_asks: dict[tuple[int, str], Ask] = {}
    for conn, ask in history.asks:
        key = (conn.number, ask.request.request_id)
        earlier = open_asks.get(key)
        if earlier is not None:
            name = "recovery - slack" if earlier.request.type == "recovery" else "request - slack"
            until_ns = earlier.sent_ns + int(seconds(history, name) * NS_PER_S)
            answered_ns = earlier.answered_ns
            if ask.sent_ns < until_ns and (answered_ns is None or ask.sent_ns < answered_ns):
                yield earlier, ask
        open_asks[key] = ask


@invariant("LIV-1")
def pings_go_on(history: History) -> list[Finding]:
    """Where a connection is watched for long, no gap between two signs of the relay lacks a ping for longer than w."""
    wait_s, slack_s = (seconds(history, name) for name in ("w", "slack"))
    expected = f"a ping at least every {wait_s:g} s"
    judged = 0
    for conn in history.connections.values():
        if conn.upgraded_ns is None:
            continue
        last_ns = conn.fault_ns if conn.fault_ns is not None else history.end_ns
        signs = [f.t for f in conn.frames if f.by == "relay" and f.t <= last_ns]
        pings = [f for f in relay_pings(conn) if f.t <= last_ns]
        for before, after in pairwise([conn.upgraded_ns, *(f.t for f in pings), *signs[-1:]]):
            judged += bool(pings)
            gap_s = (after - before) / NS_PER_S
            over_s = gap_s - wait_s - slack_s
            if over_s > history.worst_jitter(before, after) / NS_PER_S and not _disturbed(history, before, after):
                seen = f"connection {conn.number} had none for {gap_s:.3f} s"
                n = next((f.n for f in pings if f.t == after), conn.opened.n)
                return [_found("LIV-1", "pings_go_on", Verdict.LATE, expected, seen, n, gap_s)]
    if not judged:
        return []
    return [_found("LIV-1", "pings_go_on", Verdict.OK, expected, "so on every connection", 0)]


def _disturbed(history: History, start_ns: int, end_ns: int) -> bool:
    """Whether the relay itself was stopped, paused or broken on purpose in between."""
    faults = [f.t for f in history.of(Fault) if f.conn is None and not f.executor]
    pauses = [event.t for event in history.of(Relay) if event.what == "paused"]
    return any(start_ns <= moment <= end_ns for moment in (*faults, *pauses, *history.relay_stops()))


def data_frames(conn: Connection) -> list[Frame]:
    """The relay's text and binary frames on a connection."""
    return [frame for frame in conn.frames if frame.by == "relay" and frame.op in ("text", "binary")]


def all_or_first(clause: str, rule: str, expected: str, looked_at: list[Frame], bad: list[Frame]) -> list[Finding]:
    """One finding for all frames: the first bad one, or OK; none where there was nothing to look at."""
    if bad:
        seen = f"on connection {bad[0].conn}: {bad[0].op} {bad[0].data[:160]}"
        return [_found(clause, rule, Verdict.FAILED, expected, seen, bad[0].n)]
    if looked_at:
        return [_found(clause, rule, Verdict.OK, expected, f"so in all {len(looked_at)} frames", looked_at[0].n)]
    return []


def _found(
    clause: str, rule: str, verdict: Verdict, expected: str, seen: str, n: int, measured_s: float | None = None
) -> Finding:
    return Finding(
        clause=clause, verdict=verdict, rule=rule, expected=expected, seen=seen, events=(n,), measured_s=measured_s
    )
