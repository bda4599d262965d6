"""What the page draws of one scenario: lanes, bands of states, connections, frames, faults, windows.

The values are plain and short (a page holds hundreds of them); times are seconds with three decimals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from evidence.errors import EvidenceError
from evidence.events import Answer, Fault, Frame, Note, Relay, Request, Seen
from evidence.history import History
from evidence.verdict import Finding
from evidence.views import GONE, Connection, Sight, Who
from evidence.window import NS_PER_S
from relayproof.report.words import KINDS

__all__ = ["Band", "Lane", "Mark", "Picture", "Shade", "picture"]

MOST_LANES = 16
MOST_MARKS = 240
MOST_SHADES = 24
_MOST_TEXT = 160
_ROOM = 3  # a window may reach this far beyond the end of the history, in lengths of the history


class Band(msgspec.Struct, frozen=True, array_like=True):
    """A state, from when it was first listed until another was."""

    start_s: float
    end_s: float
    status: str
    title: str


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """Something that happened at once. ``kind`` is how it is drawn; see page.js."""

    at_s: float
    kind: str
    title: str


class Lane(msgspec.Struct, frozen=True):
    """One executor, or the relay with the calls of its management side."""

    name: str
    bands: Sequence[Band] = ()
    conns: Sequence[tuple[float, float, str]] = ()  # from, to, title
    marks: Sequence[Mark] = ()
    pings: Sequence[float] = ()  # moments of the relay's pings


class Shade(msgspec.Struct, frozen=True, array_like=True):
    """An expected window: ``lane`` is its place in the lanes, -1 for all; ``at_s`` is when it really was, or None."""

    lane: int
    start_s: float
    end_s: float
    at_s: float | None
    kind: str
    title: str


class Picture(msgspec.Struct, frozen=True):
    """Everything that is drawn of one scenario; the axis goes from 0 to ``end_s``."""

    end_s: float
    lanes: Sequence[Lane]
    shades: Sequence[Shade]
    left_out: int = 0  # lanes


def picture(history: History, findings: Iterable[Finding]) -> Picture:
    """The drawing of one history. What a history has too much of is left out, and counted."""
    whos = list(dict.fromkeys(_everybody(history)))
    several = len(history.tenants) > 1
    names = {who: f"{who.executor} · {who.app}" if several else who.executor for who in whos}
    lanes = [_relay_lane(history), *(_lane(history, who, names[who]) for who in whos[:MOST_LANES])]
    places = {who.executor: place for place, who in reversed(list(enumerate(whos[:MOST_LANES], start=1)))}
    most_s = round(_s(history.end_ns) * _ROOM, 3)
    shades = [shade for finding in findings if (shade := _shade(history, finding, places, most_s)) is not None]
    end_s = max([_s(history.end_ns), *(shade.end_s for shade in shades)])
    return Picture(end_s, lanes, shades[:MOST_SHADES], max(0, len(whos) - MOST_LANES))


def _everybody(history: History) -> list[Who]:
    return [conn.who for conn in history.connections.values() if conn.executor]


def _relay_lane(history: History) -> Lane:
    marks = []
    for event in history.events:
        match event:
            case Relay(what=what):
                marks.append(Mark(_s(event.t), "relay-up" if what == "ready" else "relay", f"relay {what}"))
            case Request(op=op):
                marks.append(Mark(_s(event.t), "call", _short(f"call {event.call}: {op} {event.path}".rstrip())))
            case Answer():
                marks.append(Mark(_s(event.t), "answer", f"answer {event.call}: {event.status or event.error}"))
            case Note(text=text):
                marks.append(Mark(_s(event.t), "note", _short(text)))
            case Fault(conn=None, executor="", kind=kind):
                marks.append(Mark(_s(event.t), "fault", kind))
    return Lane("relay and calls", marks=marks[:MOST_MARKS])


def _lane(history: History, who: Who, name: str) -> Lane:
    conns = history.conns_of(who)
    frames = sorted((frame for conn in conns for frame in conn.frames), key=lambda frame: frame.n)
    marks = [mark for frame in frames if (mark := _frame(history, frame)) is not None]
    marks += [
        Mark(_s(fault.t), "fault", _short(f"{fault.kind} {fault.detail or ''}".rstrip()))
        for fault in history.of(Fault)
        if fault.executor == who.executor or fault.conn in {conn.number for conn in conns}
    ]
    marks += [Mark(_s(conn.refused.t), "refused", f"refused: {conn.refused.status}") for conn in conns if conn.refused]
    pings = [_s(frame.t) for frame in frames if frame.by == "relay" and frame.op == "ping"]
    return Lane(
        name,
        bands=_bands(history, who),
        conns=[_conn(history, conn) for conn in conns],
        marks=marks[:MOST_MARKS],
        pings=pings[:MOST_MARKS],
    )


def _bands(history: History, who: Who) -> list[Band]:
    """A band from each change of the listed status to the next one."""
    sights = history.polls_of(who.tenant)
    begun: list[tuple[Sight, str]] = []
    shown: Sequence[Seen] | None = None
    for sight in sights:
        if sight.executors is shown:
            continue  # most lists are the one before
        shown = sight.executors
        status = sight.statuses(who.executor)[0]
        if not begun or begun[-1][1] != status:
            begun.append((sight, status))
    ends_s = [_s(sight.at_ns) for sight in (*(sight for sight, _ in begun[1:]), *sights[-1:])]
    return [
        Band(_s(sight.at_ns), end_s, status, f"{status} in the list that was asked at {_s(sight.asked_ns):.3f} s")
        for (sight, status), end_s in zip(begun, ends_s, strict=True)
        if status != GONE
    ]


def _conn(history: History, conn: Connection) -> tuple[float, float, str]:
    start_ns = conn.opened.t if conn.upgraded_ns is None else conn.upgraded_ns
    end_ns = history.end_ns if conn.end_ns is None else conn.end_ns
    ended = f", ended by the {conn.closed.by} ({conn.closed.how})" if conn.closed is not None else ""
    return _s(start_ns), _s(end_ns), f"connection {conn.number}{ended}"


def _frame(history: History, frame: Frame) -> Mark | None:
    if frame.op in ("ping", "pong"):
        return None
    message = history.message(frame)
    kind = "out" if frame.by == "relay" else "in"
    if frame.op == "close":
        return Mark(_s(frame.t), "close", f"close frame of the {frame.by}, code {frame.code}")
    if message is not None and message.type == "recovery":
        kind = f"recovery-{kind}"
    elif message is None:
        kind = f"odd-{kind}"
    return Mark(_s(frame.t), kind, _short(f"{frame.n} {frame.by}: {frame.data}"))


def _shade(history: History, finding: Finding, places: dict[str, int], most_s: float) -> Shade | None:
    if finding.window_s is None or not finding.events:
        return None
    try:
        start_s = _s(history.span(finding.events[0]).high_ns)
    except EvidenceError:
        return None
    earliest_s, latest_s = finding.window_s
    until_s = max(_s(history.end_ns), start_s + earliest_s) if latest_s is None else start_s + latest_s
    until_s = min(most_s, until_s)
    if start_s + earliest_s > until_s:
        return None
    at_s = None if finding.measured_s is None else round(start_s + finding.measured_s, 3)
    title = _short(f"{finding.clause} {finding.verdict}: {finding.expected}")
    lane = places.get(finding.subject, _lane_of_conn(history, finding.subject, places))
    return Shade(lane, round(start_s + earliest_s, 3), round(until_s, 3), at_s, KINDS[finding.verdict], title)


def _lane_of_conn(history: History, subject: str, places: dict[str, int]) -> int:
    number = subject.removeprefix("connection ")
    if number == subject or not number.isdigit() or int(number) not in history.connections:
        return -1
    return places.get(history.connections[int(number)].executor, -1)


def _s(moment_ns: int) -> float:
    return round(moment_ns / NS_PER_S, 3)


def _short(text: Any) -> str:
    flat = str(text)
    return flat if len(flat) <= _MOST_TEXT else f"{flat[: _MOST_TEXT - 1]}…"
