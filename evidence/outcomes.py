"""Weighing the cases of a real run: one pass over all workflows, whose defects and counts the rules then read.

A `Note` "launched" tells of each process: ``{"label", "executor", "language", "sdk", "app", "version"}``. A `Fault`
with the executor's id tells what was done to it: kinds in `STRIKES` end the process, "pause" makes it a zombie.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from evidence.cases import Case, Change, Execution, cases_of
from evidence.events import Fault, Ledger, Note
from evidence.history import History

__all__ = ["LAUNCHED", "STRIKES", "TERMINAL", "Defect", "Process", "Weighed", "wall_offset_us", "weigh"]

TERMINAL = frozenset({"SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"})
STRIKES = frozenset({"kill", "stop"})
LAUNCHED = "launched"
_AFTER_OUTAGE_US = 30_000_000  # until SDKs work again (measured: up to 24 s)
_EARLY_US = 1_000_000  # the event is written when the fault begins or just after it


@dataclass(frozen=True, slots=True)
class Process:
    """One executor: one life of one label."""

    label: str
    executor: str
    language: str
    sdk: str  # version
    app: str
    version: str


@dataclass(frozen=True, slots=True)
class Defect:
    """Something that must not be. ``kind`` names it; ``sdk`` the known fault of an SDK that explains it, or ""."""

    kind: str
    workflow: str
    app: str
    text: str
    sdk: str = ""


@dataclass(slots=True)
class Weighed:
    """What one history's cases come to."""

    processes: dict[str, Process] = field(default_factory=dict)  # by executor id
    labels: dict[str, Process] = field(default_factory=dict)
    struck: dict[str, int] = field(default_factory=dict)  # executor id: event that ended its process
    stopped: set[str] = field(default_factory=set)  # of those, in good order
    paused: dict[str, int] = field(default_factory=dict)
    started: Counter[str] = field(default_factory=Counter)  # by application
    ended: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    kinds: dict[str, Counter[str]] = field(default_factory=dict)  # kind: "started", "moved", "ended after"
    moved: Counter[str] = field(default_factory=Counter)  # struck executor: its workflows that others took over
    orphans: Counter[str] = field(default_factory=Counter)  # struck executor: its workflows that had not ended
    zombies: Counter[str] = field(default_factory=Counter)  # paused executor: workflows that others took over
    outages: list[tuple[float, float]] = field(default_factory=list)  # of the database, and what SDKs need after it
    in_outage: Counter[str] = field(default_factory=Counter)  # by application: workflows that were under way in one
    steps: int = 0
    repeated: int = 0  # executed more than once, lawfully
    older: int = 0  # executions of an older claimant that was past its look-up
    defects: list[Defect] = field(default_factory=list)
    events: list[int] = field(default_factory=list)  # of the evidence

    def of(self, *kinds: str) -> list[Defect]:
        return [defect for defect in self.defects if defect.kind in kinds]

    @property
    def cases(self) -> int:
        return sum(self.started.values())

    @property
    def kills_on_work(self) -> int:
        """Ended processes that had unfinished workflows in hand."""
        return len(self.orphans)

    @property
    def recoveries(self) -> int:
        """Ended processes of which a living one took over work."""
        return len(self.moved)


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
    for whole in cases_of(history):
        case, outcomes = _split(whole)
        _count(found, case)
        found.defects += _defects(found, case, outcomes, acknowledged)
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
    for change in case.changes:
        taken = change.old == "PENDING" and change.old_executor and _moved(change)
        if taken and change.old_executor in found.struck:
            found.moved[change.old_executor] += 1
            found.orphans[change.old_executor] += 1
            moved = True
        elif taken and change.old_executor in found.paused:
            found.zombies[change.old_executor] += 1
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


def _moved(change: Change) -> bool:
    """Re-enqueued, or handed to another executor at once (Java does)."""
    return change.new == "ENQUEUED" or (change.new == "PENDING" and change.new_executor != change.old_executor)


def _defects(found: Weighed, case: Case, outcomes: list[Change], acknowledged: Mapping[str, int]) -> Iterator[Defect]:
    if not case.changes:
        return  # asked for, but its insert never came: nothing was started
    yield from _lost(found, case, acknowledged)
    yield from _ends(found, case, outcomes)
    yield from _owners(found, case)
    yield from _steps(found, case)


def _lost(found: Weighed, case: Case, acknowledged: Mapping[str, int]) -> Iterator[Defect]:
    last = case.changes[-1]
    if last.kind == "delete" or any(change.new in TERMINAL for change in case.changes):
        return
    owner = _who(found, last.new_executor)
    struck = ", which was struck" if last.new_executor in found.struck else ""
    suspect = ""
    if last.new == "PENDING" and last.new_executor in found.struck | found.paused:
        if last.old == "PENDING" and last.old_executor != last.new_executor:
            suspect = "taken-back"
        elif last.new_executor in acknowledged:
            suspect = "ack-without-effect"
    yield Defect(
        "lost", case.workflow, case.app, f"{case.workflow} never ended: it is {last.new} under {owner}{struck}", suspect
    )


def _ends(found: Weighed, case: Case, outcomes: list[Change]) -> Iterator[Defect]:
    """One transition into a terminal status; never left, never rewritten; the promised one."""
    ended = [change for change in case.changes if change.new in TERMINAL]
    for outcome in outcomes:
        if outcome.changed and ended and outcome.seq > ended[0].seq:
            text = f"the outcome of {case.workflow} was rewritten after {ended[0].new}"
            yield Defect("rewritten", case.workflow, case.app, text, _zombie(found, ended[-1]))
    asked = case.promise.asked if case.promise is not None else ()
    status, ends = "", 0
    for change in case.changes:
        if status in TERMINAL and change.new != status:
            if "resume" in asked or ("cancel" in asked and change.new == "CANCELLED"):
                ends -= 1
            else:
                where = change.new or "nothing: it was deleted"
                yield Defect(
                    "left-end", case.workflow, case.app, f"{case.workflow} left {status} for {where}",
                    _zombie(found, change),
                )  # fmt: skip
        elif status in TERMINAL and change.changed:
            yield Defect(
                "rewritten", case.workflow, case.app,
                f"the outcome of {case.workflow} was rewritten after {status} by {_who(found, change.new_executor)}",
                _zombie(found, change),
            )  # fmt: skip
        if change.new in TERMINAL and change.new != status:
            ends += 1
            yield from _unexpected(found, case, _with_outcome(change, outcomes))
        status = change.new
    if ends > 1:
        text = f"{case.workflow} reached a terminal status {ends} times"
        yield Defect("ended-twice", case.workflow, case.app, text, _zombie(found, case.changes[-1]))


def _with_outcome(change: Change, outcomes: list[Change]) -> Change:
    """The end with the outcome of its own transaction, where that is kept apart."""
    own = [each for each in outcomes if each.xid == change.xid] or outcomes[:1]
    return msgspec.structs.replace(change, output=own[0].output, error=own[0].error) if own else change


def _zombie(found: Weighed, change: Change) -> str:
    return "late-copy-writes" if change.new_executor in found.paused else ""


def _unexpected(found: Weighed, case: Case, change: Change) -> Iterator[Defect]:
    promise = case.promise
    if promise is None:
        return
    text = ""
    if change.new != promise.outcome:
        why = f" ({change.error[:160]})" if change.error else ""
        text = f"{case.workflow} ended in {change.new}{why}, expected {promise.outcome}"
    elif promise.outcome == "SUCCESS" and promise.output is not None and not _same(change.output, promise.output):
        text = f"{case.workflow} ended with output {str(change.output)[:160]}, expected {promise.output[:160]}"
    elif promise.error is not None and promise.error not in (change.error or ""):
        text = f"{case.workflow} ended with error {str(change.error)[:160]}, expected {promise.error[:160]}"
    if text:
        sdk = "shutdown-writes-end" if change.new_executor in found.stopped else ""
        if not sdk and change.new == "ERROR" and any(a <= change.at_us <= b for a, b in found.outages):
            sdk = "outage-ends-work"
        yield Defect("unexpected", case.workflow, case.app, text, sdk)


def _same(output: str | None, promised: str) -> bool:
    if output is None:
        return False
    if output == promised:
        return True
    try:
        return bool(json.loads(output) == json.loads(promised))
    except ValueError:
        return len(output) >= 4096  # cut by the trigger: its status and its steps tell enough


def _owners(found: Weighed, case: Case) -> Iterator[Defect]:
    """Whoever took the workflow is of its application, its version and its language."""
    home: Process | None = None
    for change in case.changes:
        taker = found.processes.get(change.new_executor)
        if taker is None or change.new != "PENDING":
            continue
        if home is None:
            home = taker
            continue
        if taker.app != home.app:
            text = f"{case.workflow} of {home.app} was taken by {taker.label} of {taker.app}"
            yield Defect("other-application", case.workflow, case.app, text)
        elif taker.language != home.language:
            text = (
                f"{case.workflow}, written in {home.language}, was taken by {taker.label}, written in {taker.language}"
            )
            yield Defect("other-language", case.workflow, case.app, text, "other-language")
        elif change.version and taker.version != change.version:
            text = f"{case.workflow} of version {change.version} was taken by {taker.label} of {taker.version}"
            yield Defect("other-version", case.workflow, case.app, text)


def _steps(found: Weighed, case: Case) -> Iterator[Defect]:
    done = {execution.step for execution in case.executions if execution.end_us is not None}
    if case.promise is not None and case.changes[-1].new == case.promise.outcome == "SUCCESS":
        for step in case.promise.steps:
            if step not in done:
                text = f"step {step} of {case.workflow} was never executed to its end"
                yield Defect("step-missing", case.workflow, case.app, text)
    for point in case.checkpoints:
        if point.again:
            text = f"the checkpoint of step {point.step} of {case.workflow} was written over"
            yield Defect("step-rewritten", case.workflow, case.app, text)
    yield from _again(found, case)


def _again(found: Weighed, case: Case) -> Iterator[Defect]:
    """Executions by somebody who certainly took the workflow after the step's checkpoint was visible to all.

    The n-th execution of a step within one process belongs to that process's n-th claim or a later one.
    """
    first = {point.step: point for point in reversed(case.checkpoints) if not point.again}
    if not first:
        return
    claims = _claims(case)
    retries = case.promise is not None and case.promise.retries
    for execution in case.executions:
        point = first.get(execution.step)
        if point is None or execution.begin_us <= point.at_us:
            continue
        claim = _claim(found, claims, execution, 1 if retries else execution.attempt)
        if claim is None:
            text = f"step {execution.step} of {case.workflow} was executed by {execution.executor}, which never took it"
            yield Defect("step-again", case.workflow, case.app, text)
        elif claim.seq > point.seq and (point.xid == 0 or point.xid < claim.xmin):
            text = (
                f"step {execution.step} of {case.workflow} was executed again by {execution.executor},"
                " which took the workflow after the step's checkpoint"
            )
            yield Defect("step-again", case.workflow, case.app, text)
        else:
            found.older += 1


def _claims(case: Case) -> list[Change]:
    """Each start of the workflow as PENDING and each dispatch of it, in order.

    Taking back the row by winning a checkpoint is no claim: that executor had begun before.
    """
    attempts, found = 0, []
    for change in case.changes:
        if change.new == "PENDING" and (change.old != "PENDING" or change.attempts > attempts):
            found.append(change)
        attempts = change.attempts or attempts
    return found


def _claim(found: Weighed, claims: list[Change], execution: Execution, number: int) -> Change | None:
    process = found.labels.get(execution.executor)
    executor = process.executor if process is not None else execution.executor
    own = [claim for claim in claims if claim.new_executor == executor]
    return own[min(number, len(own)) - 1] if own else None


def _who(found: Weighed, executor: str) -> str:
    process = found.processes.get(executor)
    return f"{process.label} ({executor[:8]})" if process is not None else executor or "nobody"


def facts(found: Weighed) -> dict[str, Any]:
    """Counts for a report."""
    return {
        "workflows": found.cases, "ended": sum(found.ended.values()), "strikes": len(found.struck),
        "strikes on running work": found.kills_on_work, "recoveries": found.recoveries, "steps": found.steps,
        "steps executed more than once": found.repeated,
    }  # fmt: skip
