"""Weighing the cases of a real run: one pass over all workflows, whose defects and counts the rules then read.

A `Note` "launched" tells of each process: ``{"label", "executor", "language", "sdk", "app", "version"}``. A `Fault`
with the executor's id tells what was done to it: kinds in `STRIKES` end the process, "pause" makes it a zombie.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from weakref import WeakKeyDictionary

import msgspec

from evidence.cases import Case, Change, cases_of
from evidence.defects import defects_of, taken_over
from evidence.events import Fault, Ledger, Note
from evidence.history import History
from evidence.weighed import LAUNCHED, STRIKES, TERMINAL, Defect, Process, Weighed

__all__ = ["LAUNCHED", "STRIKES", "TERMINAL", "Defect", "Process", "Weighed", "wall_offset_us", "weigh"]

_AFTER_OUTAGE_US = 30_000_000  # until SDKs work again (measured: up to 24 s)
_EARLY_US = 1_000_000  # the event is written when the fault begins or just after it

_weighed: WeakKeyDictionary[History, Weighed] = WeakKeyDictionary()


def weigh(history: History) -> Weighed:
    """Judge every case once; the result is kept as long as the history is."""
    if history not in _weighed:
        _weighed[history] = _weigh(history)
    return _weighed[history]


def _weigh(history: History) -> Weighed:
    found = Weighed()
    for event in history.events:
        match event:
            case Note(text=text, detail=detail) if text == LAUNCHED:
                process = Process(**{name: str(detail.get(name, "")) for name in Process.__slots__})
                found.processes[process.executor] = found.labels[process.label] = process
            case Fault(kind=kind, executor=executor, n=n) if kind in STRIKES:
                found.struck.setdefault(executor, n)
                if kind == "stop":
                    found.stopped.add(executor)
            case Fault(kind="pause", executor=executor, n=n):
                found.paused.setdefault(executor, n)
            case Ledger(source="cases", n=n):
                found.events.append(n)
            case _:
                pass
    found.outages = _outages(history)
    acknowledged = _acknowledged(history)
    found.ends_us = _ends_us(history, found.struck)
    for whole in cases_of(history):
        case, outcomes = _split(whole)
        _count(found, case)
        found.defects += defects_of(found, case, outcomes, acknowledged)
    return found


def wall_offset_us(history: History) -> float | None:
    """Wall clock at the history's start, by a launch that noted it; None where none did."""
    for note in history.of(Note):
        if note.text == LAUNCHED and "wall_us" in note.detail:
            return float(note.detail["wall_us"]) - note.t / 1000
    return None


def _outages(history: History) -> list[tuple[float, float]]:
    """From each fault of the database to a while after it, in microseconds of the wall clock."""
    offset_us = wall_offset_us(history)
    if offset_us is None:
        return []
    found = []
    begun: dict[str, float] = {}
    for fault in history.of(Fault):
        at_us = offset_us + fault.t / 1000
        if fault.kind.startswith("db-") and not fault.kind.endswith("-over"):
            begun[fault.kind] = at_us
            found.append((at_us - _EARLY_US, at_us + _AFTER_OUTAGE_US))
        elif (kind := fault.kind.removesuffix("-over")) in begun:
            found.append((begun.pop(kind) - _EARLY_US, at_us + _AFTER_OUTAGE_US))
    return found


def _ends_us(history: History, struck: Mapping[str, int]) -> dict[str, float]:
    """When each struck process ended, on the wall clock: it may have been a zombie before. Empty where nobody knows."""
    offset_us = wall_offset_us(history)
    if offset_us is None:
        return {}
    return {executor: offset_us + history.events[n].t / 1000 - _EARLY_US for executor, n in struck.items()}


def _split(case: Case) -> tuple[Case, list[Change]]:
    """Changes of the status, and outcomes that an SDK keeps in a table of their own (Go)."""
    outcomes = [change for change in case.changes if change.kind == "outcome"]
    if not outcomes:
        return case, []
    rest = tuple(change for change in case.changes if change.kind != "outcome")
    return msgspec.structs.replace(case, changes=rest), outcomes


def _acknowledged(history: History) -> Mapping[str, int]:
    """Dead executors whose recovery a peer acknowledged, and the frame."""
    return {name: ask.request.frame.n for _, ask in history.asks_of("recovery") if ask.succeeded for name in ask.names}


def _count(found: Weighed, case: Case) -> None:
    if not case.changes:
        return
    kind = case.promise.kind if case.promise is not None else "other"
    counts = found.kinds.setdefault(kind, Counter())
    counts["started"] += 1
    found.started[case.app] += 1
    status = case.changes[-1].new or "DELETED"
    found.statuses[status] += 1
    ended = any(change.new in TERMINAL for change in case.changes)
    found.ended[case.app] += ended
    moved = False
    for before, change in pairwise(case.changes):
        if not (change.old_executor and taken_over(change)):
            continue
        if not found.alive(change.old_executor, change.at_us):
            found.moved[change.old_executor] += 1
            found.orphans[change.old_executor] += 1
            moved = True
            continue
        if change.old_executor in found.paused:
            found.zombies[change.old_executor] += 1
        if change.new == "ENQUEUED" or change.attempts > before.attempts:  # else it is taken back, by a checkpoint
            found.taken_alive[change.old_executor] += 1
    last = case.changes[-1]
    if last.new == "PENDING" and last.new_executor in found.struck:
        found.orphans[last.new_executor] += 1
    counts["moved"] += moved
    counts["ended after"] += moved and ended
    first_us, last_us = case.changes[0].at_us, case.changes[-1].at_us
    found.in_outage[case.app] += any(first_us <= until and last_us >= since for since, until in found.outages)
    times = Counter(execution.step for execution in case.executions)
    found.steps += len(times)
    if case.promise is None or not case.promise.retries:
        found.repeated += sum(1 for count in times.values() if count > 1)
