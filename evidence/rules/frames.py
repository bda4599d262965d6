"""Rules about the requests that the relay sends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evidence.events import Expect
from evidence.history import History
from evidence.rules import BLURRED, STALLED, rule
from evidence.rules.base import amount, covers, finding, judged, never, scope, stretch, window
from evidence.verdict import Finding, Verdict
from evidence.views import Ask, Connection
from evidence.window import Span


@rule("frame", doubt=STALLED)
def frame(
    history: History,
    expect: Expect,
    *,
    type: str,
    after: int,
    latest: str | float | None = None,
    earliest: str | float = "0",
    executor: str | None = None,
    conn: int | None = None,
    match: Mapping[str, Any] | None = None,
    g: float | None = None,
    app: str | None = None,
    org: str | None = None,
) -> Finding:
    """The relay sends such a request in the window. ``match``: a subset of the frame, its lists equal."""
    conns = scope(history, executor, conn, app, org)
    tenant = conns[0].tenant if conns else None
    allowed, start = window(history, tenant, earliest, latest, g), history.span(after)
    expected = f"{type} {dict(match)} is sent" if match else f"{type} is sent"
    for ask in _asks(history, conns, type, match or {}, containing=False):
        sent = ask.request.frame
        if sent.t >= start.low_ns and (sent.n > after or start.low_ns < start.high_ns):
            return judged(
                history,
                expect,
                Span.at(sent.t),
                start,
                allowed,
                expected=expected,
                what="it was sent",
                events=(after, sent.n),
            )
    return never(history, expect, history.end_ns, start, allowed, expected=expected, what="never sent", events=(after,))


@rule("no_frame", doubt=BLURRED)
def no_frame(
    history: History,
    expect: Expect,
    *,
    type: str,
    since: int | None = None,
    until: int | None = None,
    executor: str | None = None,
    conn: int | None = None,
    match: Mapping[str, Any] | None = None,
    app: str | None = None,
    org: str | None = None,
) -> Finding:
    """No such request in between; the lists of ``match`` need only be contained. Nobody connected: VACUOUS."""
    conns, inside = scope(history, executor, conn, app, org), stretch(history, since, until)
    expected = f"no {type} {dict(match)} is sent" if match else f"no {type} is sent"
    if not any(each.upgraded_ns is not None for each in conns):
        return finding(expect, Verdict.VACUOUS, expected=expected, seen="nobody was connected to see one")
    for ask in _asks(history, conns, type, match or {}, containing=True):
        if inside.holds(ask.request.frame):
            at_s = (ask.sent_ns - inside.since_ns) / 1e9
            return finding(
                expect,
                Verdict.FAILED,
                expected=expected,
                seen=f"one was sent after {at_s:.3f} s",
                measured_s=at_s,
                events=(ask.request.frame.n,),
            )
    return finding(expect, Verdict.OK, expected=expected, seen=f"none in {inside.length_s:.3f} s")


@rule("count", doubt=STALLED)
def count(
    history: History,
    expect: Expect,
    *,
    type: str,
    since: int | None = None,
    until: int | None = None,
    at_least: int = 0,
    at_most: int | None = None,
    executor: str | None = None,
    conn: int | None = None,
    match: Mapping[str, Any] | None = None,
    answered: bool | None = None,
    app: str | None = None,
    org: str | None = None,
) -> Finding:
    """As many such requests (``answered``: only those with, or without, an answer); lists of ``match`` contained."""
    conns, inside = scope(history, executor, conn, app, org), stretch(history, since, until)
    found = [
        ask
        for ask in _asks(history, conns, type, match or {}, containing=True)
        if inside.holds(ask.request.frame) and answered in (None, ask.answer is not None)
    ]
    good = at_least <= len(found) and (at_most is None or len(found) <= at_most)
    matching = f" {dict(match)}" if match else ""
    return finding(
        expect,
        Verdict.OK if good else Verdict.FAILED,
        expected=f"{amount(at_least, at_most)} {type}{matching}",
        seen=f"{len(found)} in {inside.length_s:.3f} s",
        events=[ask.request.frame.n for ask in found[:20]],
    )


@rule("first_frame")
def first_frame(history: History, expect: Expect, *, conn: int) -> Finding:
    """The first text frame of the relay is an executor_info request with a non-empty request_id (HSK-1)."""
    connection = history.connection(conn)
    expected = "the first text frame is executor_info with a request_id"
    first = next((each for each in connection.frames if each.by == "relay" and each.op in ("text", "binary")), None)
    if connection.upgraded_ns is None:
        return finding(expect, Verdict.VACUOUS, expected=expected, seen="the upgrade did not happen")
    if first is None:
        return finding(expect, Verdict.FAILED, expected=expected, seen="no text frame came")
    message = history.message(first)
    good = message is not None and message.type == "executor_info" and bool(message.request_id)
    seen = f"first came {first.op} {first.data[:120]}"
    return finding(expect, Verdict.OK if good else Verdict.FAILED, expected=expected, seen=seen, events=(first.n,))


@rule("quiet", doubt=STALLED)
def quiet(
    history: History,
    expect: Expect,
    *,
    conn: int,
    since: int | None = None,
    until: int | None = None,
    allow: Sequence[str] = (),
) -> Finding:
    """The relay sends no request but those of the allowed types."""
    connection, inside = history.connection(conn), stretch(history, since, until)
    expected = f"no request but {', '.join(allow)}" if allow else "no request"
    if connection.upgraded_ns is None:
        return finding(expect, Verdict.VACUOUS, expected=expected, seen="the upgrade did not happen")
    for sent in connection.frames:
        if sent.by != "relay" or sent.op not in ("text", "binary") or not inside.holds(sent):
            continue
        message = history.message(sent)
        if message is None or message.type not in allow:
            seen = f"{sent.op} {sent.data[:120]}"
            return finding(expect, Verdict.FAILED, expected=expected, seen=seen, events=(sent.n,))
    return finding(expect, Verdict.OK, expected=expected, seen=f"none in {inside.length_s:.3f} s")


def _asks(
    history: History, conns: Sequence[Connection], type: str, match: Mapping[str, Any], *, containing: bool
) -> list[Ask]:
    numbers = {conn.number for conn in conns}
    return [
        ask
        for conn, ask in history.asks_of(type)
        if conn.number in numbers and covers(match, ask.request.fields, containing=containing)
    ]
