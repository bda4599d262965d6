"""The drawn time line as SVG: executors as rows, their lives, faults, recoveries, and the work of each SDK."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape

from evidence.cases import cases_of
from evidence.events import Fault, Note, Relay
from evidence.history import History
from evidence.outcomes import LAUNCHED, TERMINAL, wall_offset_us, weigh
from evidence.window import NS_PER_S

__all__ = ["svg"]

_LEFT, _RIGHT, _ROW, _BAR, _WIDTH = 118, 14, 22, 11, 1100
_WORK = 44  # height of a row of work
_BINS = 240


@dataclass
class _Life:
    slot: str
    label: str
    executor: str
    start_s: float
    end_s: float
    how: str = ""  # what ended it


@dataclass
class _Picture:
    end_s: float
    slots: dict[str, int] = field(default_factory=dict)  # slot: row
    lives: list[_Life] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)

    def x(self, at_s: float) -> float:
        return round(_LEFT + (_WIDTH - _LEFT - _RIGHT) * min(max(at_s / self.end_s, 0.0), 1.0), 1)

    def y(self, row: int) -> float:
        return 26 + row * _ROW


def svg(history: History) -> str:
    """One SVG element, without script; every shape has its words as a title."""
    picture = _picture(history)
    parts = [*_axis(picture), *_lives(picture), *_spans(history, picture), *_marks(history, picture)]
    parts += _recoveries(history, picture)
    rows = len(picture.rows)
    work = _work(history, picture, picture.y(rows) + 6)
    height = picture.y(rows) + 6 + _WORK * len(work) + 20
    inner = "".join([*parts, *(part for row in work for part in row)])
    return (
        f'<svg class="timeline" viewBox="0 0 {_WIDTH} {height:.0f}" role="img"'
        f' aria-label="time line of the run">{inner}</svg>'
    )


def _picture(history: History) -> _Picture:
    picture = _Picture(end_s=max(history.end_ns / NS_PER_S, 1.0))
    by_executor: dict[str, _Life] = {}
    for note in history.of(Note):
        if note.text == LAUNCHED:
            detail = note.detail
            slot = str(detail.get("slot") or detail.get("label"))
            life = _Life(slot, str(detail["label"]), str(detail["executor"]), note.t / NS_PER_S, picture.end_s)
            picture.lives.append(life)
            by_executor[life.executor] = life
    for fault in history.of(Fault):
        life_hit = by_executor.get(fault.executor)
        if life_hit is not None and fault.kind in ("kill", "stop") and not life_hit.how:
            life_hit.end_s = fault.t / NS_PER_S
            life_hit.how = str(fault.detail.get("cause") or fault.kind)
    slots = sorted({life.slot for life in picture.lives})
    picture.rows = [*slots, "relay", "database"]
    picture.slots = {slot: row for row, slot in enumerate(picture.rows)}
    return picture


def _axis(picture: _Picture) -> Iterator[str]:
    step_s = next(step for step in (5, 10, 20, 30, 60, 120, 300, 600) if picture.end_s / step <= 14 or step == 600)
    bottom = picture.y(len(picture.rows))
    at_s = 0
    while at_s <= picture.end_s:
        x = picture.x(at_s)
        yield f'<line class="grid" x1="{x}" x2="{x}" y1="20" y2="{bottom}"/>'
        yield f'<text class="tick" x="{x}" y="14">{at_s} s</text>'
        at_s += step_s
    for name, row in picture.slots.items():
        yield f'<text class="slot" x="{_LEFT - 8}" y="{picture.y(row) + _BAR}">{escape(name)}</text>'


def _lives(picture: _Picture) -> Iterator[str]:
    for life in picture.lives:
        x, y = picture.x(life.start_s), picture.y(picture.slots[life.slot]) + 2
        width = max(picture.x(life.end_s) - x, 1.0)
        ended = f", ended by {life.how}" if life.how else ""
        words = f"{life.label} ({life.executor[:8]}): {life.start_s:.1f} s to {life.end_s:.1f} s{ended}"
        yield (
            f'<rect class="life" x="{x}" y="{y}" width="{width:.1f}" height="{_BAR}" rx="2"><title>{escape(words)}'
            "</title></rect>"
        )


def _spans(history: History, picture: _Picture) -> Iterator[str]:
    """What lasts: pauses, cut links, and the times without a relay or a database."""
    open_: dict[tuple[str, str], float] = {}
    slots = {life.executor: life.slot for life in picture.lives}
    for event in history.events:
        if not isinstance(event, Fault):
            continue
        over = event.kind.removesuffix("-over")
        row = slots.get(event.executor, event.executor)
        if over == event.kind:
            open_[over, row] = event.t / NS_PER_S
        elif (over, row) in open_ and row in picture.slots:
            yield _span(picture, row, open_.pop((over, row)), event.t / NS_PER_S, over)
    down: float | None = None
    for state in history.of(Relay):
        if state.what in ("killing", "killed", "exited", "stopped") and down is None:
            down = state.t / NS_PER_S
        elif state.what == "ready" and down is not None:
            yield _span(picture, "relay", down, state.t / NS_PER_S, "relay away")
            down = None


def _span(picture: _Picture, row: str, start_s: float, end_s: float, name: str) -> str:
    x, y = picture.x(start_s), picture.y(picture.slots[row]) + 2
    words = f"{name} on {row}: {start_s:.1f} s to {end_s:.1f} s"
    return (
        f'<rect class="span" x="{x}" y="{y}" width="{max(picture.x(end_s) - x, 1.5):.1f}" height="{_BAR}">'
        f"<title>{escape(words)}</title></rect>"
    )


def _marks(history: History, picture: _Picture) -> Iterator[str]:
    slots = {life.executor: life.slot for life in picture.lives}
    for fault in history.of(Fault):
        row = slots.get(fault.executor, fault.executor)
        if row not in picture.slots or fault.kind.endswith("-over") or fault.kind == "added-request":
            continue
        name = str(fault.detail.get("cause") or fault.kind)
        x, y = picture.x(fault.t / NS_PER_S), picture.y(picture.slots[row]) + 2
        deadly = "deadly" if fault.kind in ("kill", "stop") else "fault"
        words = f"{name} on {row} at {fault.t / NS_PER_S:.1f} s (event {fault.n})"
        yield (f'<path class="{deadly}" d="M{x - 4} {y - 3}h8l-4 7z"><title>{escape(words)}</title></path>')


def _recoveries(history: History, picture: _Picture) -> Iterator[str]:
    """A line from the dead executor's row to the peer's, when the relay asked; dashed where it was not acknowledged."""
    slots = {life.executor: life.slot for life in picture.lives}
    for conn, ask in history.asks_of("recovery"):
        for name in ask.names:
            dead, peer = slots.get(name), slots.get(conn.executor)
            if dead is None or peer is None:
                continue
            x = picture.x(ask.sent_ns / NS_PER_S)
            from_y, to_y = picture.y(picture.slots[dead]) + 7, picture.y(picture.slots[peer]) + 7
            kind = "recovery" if ask.succeeded else "recovery refused"
            said = "acknowledged" if ask.succeeded else "not acknowledged"
            words = f"recovery of {dead} asked of {peer} at {ask.sent_ns / NS_PER_S:.1f} s, {said}"
            yield (
                f'<g class="{kind}"><line x1="{x}" x2="{x}" y1="{from_y}" y2="{to_y}"/>'
                f'<circle cx="{x}" cy="{to_y}" r="3.2"/><title>{escape(words)}</title></g>'
            )


def _work(history: History, picture: _Picture, top: float) -> list[list[str]]:
    """For each application how many workflows were unfinished, over time, and where any was taken over."""
    offset_us = wall_offset_us(history)
    if offset_us is None:
        return []
    apps = {process.app: process.language for process in weigh(history).processes.values()}
    curves: dict[str, list[int]] = {app: [0] * (_BINS + 1) for app in apps}
    taken: dict[str, list[tuple[float, str]]] = {app: [] for app in apps}
    for case in cases_of(history):
        if not case.changes or case.app not in curves:
            continue
        start_s = (case.changes[0].at_us - offset_us) / 1e6
        ends = [change.at_us for change in case.changes if change.new in TERMINAL]
        end_s = (ends[0] - offset_us) / 1e6 if ends else picture.end_s
        for place in range(_bin(picture, start_s), _bin(picture, end_s) + 1):
            curves[case.app][place] += 1
        for change in case.changes:
            if change.old == "PENDING" and change.new == "ENQUEUED":
                taken[case.app].append(((change.at_us - offset_us) / 1e6, case.workflow))
    return [
        list(_curve(picture, top + number * _WORK, apps[app], curves[app], taken[app]))
        for number, app in enumerate(sorted(apps, key=lambda app: apps[app]))
    ]


def _curve(picture: _Picture, top: float, name: str, curve: list[int], taken: list[tuple[float, str]]) -> Iterator[str]:
    most = max(*curve, 1)
    base = top + _WORK - 8
    points = " ".join(
        f"{picture.x(place * picture.end_s / _BINS)},{base - (_WORK - 14) * count / most:.1f}"
        for place, count in enumerate(curve)
    )
    yield (
        f'<text class="slot" x="{_LEFT - 8}" y="{base - 6}">{escape(name)} work</text>'
        f'<polygon class="work" points="{picture.x(0)},{base} {points} {picture.x(picture.end_s)},{base}">'
        f"<title>unfinished workflows of {escape(name)}, at most {most}</title></polygon>"
    )
    for at_s, workflow in taken[:400]:
        x = picture.x(at_s)
        yield (
            f'<line class="taken" x1="{x}" x2="{x}" y1="{base}" y2="{base + 5}"><title>'
            f"{escape(workflow)} was taken over at {at_s:.1f} s</title></line>"
        )


def _bin(picture: _Picture, at_s: float) -> int:
    return min(max(int(at_s / picture.end_s * _BINS), 0), _BINS)
