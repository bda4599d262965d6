"""Outcomes of real workflows (OUT-1..3, REC-20): what the status trigger and the step ledger prove.

A `Ledger` event of source "expected" has a row for each workflow that the harness started, and each child:
``workflow, outcome, output, steps``. Source "trigger" has the changes of workflow_status and the step checkpoints
in one order: ``seq, kind (insert, update, delete, checkpoint), workflow, old_status, new_status, old_executor,
new_executor, attempts, outcome_changed, output, error, step``. Source "ledger" has the step executions:
``seq, workflow, run, step, executor_id``, and ``end_seq`` if it ended. Columns without a value are left out.

A resume or a cancel by request is not excused, for no scenario of the real world asks for one.

The contract lets an OUT failure count as NON-STRICT if the SDK caused it in a way that REC-21, 23, 24 or 25 would have
prevented, and asks for at least 10 reproductions. One history never shows those: here such a failure is FAILED, and
the finding names the suspect.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evidence.events import Expect, Fault, Ledger
from evidence.history import History
from evidence.rules import rule
from evidence.rules.base import finding
from evidence.verdict import Finding, Verdict

__all__ = ["TERMINAL", "duplicate_recovery", "ended", "ended_once", "steps_kept"]

TERMINAL = frozenset({"SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"})
_STRIKES = ("kill", "stop")
_SHOWN = 5

Row = Mapping[str, Any]


@dataclass(slots=True)
class _Evidence:
    """The rows of a history, by workflow."""

    expected: dict[str, Row]
    changes: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))  # of the status
    checkpoints: dict[tuple[str, str], int] = field(default_factory=dict)  # workflow, step: seq of the first
    executions: list[Row] = field(default_factory=list)
    struck: dict[str, int] = field(default_factory=dict)  # executor ids, and the event that struck them
    sources: dict[str, int] = field(default_factory=dict)  # source: its last event

    @property
    def events(self) -> tuple[int, ...]:
        return tuple(sorted([*self.struck.values(), *self.sources.values()]))

    def claims(self, workflow: str, executor: str) -> list[int]:
        """Where in the order this executor took the workflow: each start of it as PENDING, each dispatch of it.

        Taking back the row by winning a checkpoint is no claim: that executor had begun before.
        """
        attempts, found = 0, []
        for row in self.changes[workflow]:
            dispatched = row.get("old_status") != "PENDING" or row.get("attempts", 0) > attempts
            if row.get("new_status") == "PENDING" and row.get("new_executor") == executor and dispatched:
                found.append(row["seq"])
            attempts = row.get("attempts", attempts)
        return found


def _evidence(history: History) -> _Evidence:
    found = _Evidence(expected={})
    for event in history.events:
        if isinstance(event, Fault) and event.kind in _STRIKES:
            found.struck.setdefault(event.executor, event.n)
        if not isinstance(event, Ledger):
            continue
        if event.rows:
            found.sources[event.source] = event.n
        for row in event.rows:
            if event.source == "expected":
                found.expected[row["workflow"]] = row
            elif event.source == "ledger":
                found.executions.append(row)
            elif row["kind"] == "checkpoint":
                found.checkpoints.setdefault((row["workflow"], row["step"]), row["seq"])
            else:
                found.changes[row["workflow"]].append(row)
    return found


@rule("ended")
def ended(history: History, expect: Expect) -> Finding:
    """OUT-1: every expected workflow, and every other that the trigger saw, reached a terminal status."""
    seen = _evidence(history)
    lost = list(_lost(history, seen, sorted({*seen.expected, *seen.changes})))
    told = f"{len(seen.expected)} started workflows ended"
    return _judged(expect, seen, lost, "every started workflow reaches a terminal status", told)


@rule("ended_once")
def ended_once(history: History, expect: Expect) -> Finding:
    """OUT-2: one transition into a terminal status, the expected one; never left, its outcome never rewritten."""
    seen = _evidence(history)
    faults = [fault for workflow in sorted(seen.changes) for fault in _outcome_faults(workflow, seen)]
    told = f"{len(seen.changes)} workflows have one terminal transition each, with the expected outcome"
    return _judged(expect, seen, faults, "one terminal transition, never left, never rewritten", told)


@rule("steps_kept")
def steps_kept(history: History, expect: Expect) -> Finding:
    """OUT-3: each step was executed, and by no claimant that took the workflow after the step's checkpoint."""
    seen = _evidence(history)
    done = {(row["workflow"], row["step"]) for row in seen.executions if "end_seq" in row}
    faults = [
        f"step {step} of {workflow} was never executed to its end"
        for workflow, row in sorted(seen.expected.items())
        for step in row["steps"]
        if _has_ended(workflow, seen) and (workflow, step) not in done
    ]
    faults += [fault for row in seen.executions if (fault := _again(row, seen)) is not None]
    times = Counter((row["workflow"], row["step"]) for row in seen.executions)
    repeated = sum(1 for count in times.values() if count > 1)
    told = f"{len(times)} steps were executed, {repeated} of them more than once before their checkpoint"
    return _judged(expect, seen, faults, "no step runs again after its checkpoint", told, needs=("trigger", "ledger"))


@rule("duplicate_recovery")
def duplicate_recovery(history: History, expect: Expect) -> Finding:
    """REC-20: recoveries of one dead executor were dispatched again and acknowledged; every outcome is as expected."""
    seen = _evidence(history)
    again = [event for event in history.events if isinstance(event, Fault) and event.kind == "duplicate-recovery"]
    taken = [event for event in again if (event.detail.get("answer") or {}).get("success") is True]
    faults = list(_lost(history, seen, sorted(seen.expected)))
    faults += [fault for workflow in sorted(seen.changes) for fault in _outcome_faults(workflow, seen)]
    wanted = "a second recovery for the same dead executor changes no outcome"
    if not faults and not taken:
        return finding(expect, Verdict.VACUOUS, expected=wanted, seen="no second recovery was acknowledged")
    told = f"{len(taken)} further recoveries were acknowledged, {len(seen.changes)} outcomes are as expected"
    return _judged(expect, seen, faults, wanted, told)


def _judged(
    expect: Expect, seen: _Evidence, faults: list[str], wanted: str, told: str, needs: tuple[str, ...] = ("trigger",)
) -> Finding:
    """A fault is FAILED, whatever else is missing; without one, too little work or evidence is VACUOUS."""
    missing = [source for source in ("expected", *needs) if source not in seen.sources]
    if missing:
        reason = f"the history has no rows of {' and '.join(missing)}"
        return finding(expect, Verdict.VACUOUS, expected=wanted, seen=reason, events=seen.events)
    if faults:
        more = f"; and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
        return finding(
            expect, Verdict.FAILED, expected=wanted, seen="; ".join(faults[:_SHOWN]) + more, events=seen.events
        )
    if (lacking := _too_little(seen)) is not None:
        return finding(expect, Verdict.VACUOUS, expected=wanted, seen=lacking, events=seen.events)
    return finding(expect, Verdict.OK, expected=wanted, seen=told, events=seen.events)


def _too_little(seen: _Evidence) -> str | None:
    """Why nothing was proved: no strike, none that hit running work, or nobody took that work over."""
    if not seen.struck:
        return "no executor was killed or stopped"
    orphaned: dict[str, int] = {}
    for workflow, rows in seen.changes.items():
        for row in rows:
            if row.get("old_status") == "PENDING" and row.get("old_executor") in seen.struck and _moved(row):
                orphaned.setdefault(workflow, row["seq"])
    if not orphaned:
        return "no workflow of a struck executor was recovered"
    adopted = any(
        row["seq"] >= orphaned[workflow] and row.get("new_status") == "PENDING"
        and row.get("new_executor") not in seen.struck
        for workflow in orphaned for row in seen.changes[workflow]
    )  # fmt: skip
    return None if adopted else "no living executor took over a recovered workflow"


def _moved(row: Row) -> bool:
    """Re-enqueued, or handed to another executor at once (Java does)."""
    return row.get("new_status") == "ENQUEUED" or row.get("new_executor") != row.get("old_executor")


def _has_ended(workflow: str, seen: _Evidence) -> bool:
    return any(row.get("new_status") in TERMINAL for row in seen.changes[workflow])


def _lost(history: History, seen: _Evidence, workflows: Sequence[str]) -> Iterator[str]:
    for workflow in workflows:
        rows = seen.changes[workflow]
        if not rows:
            yield f"{workflow} was started, and the trigger never saw it"
        elif not _has_ended(workflow, seen):
            last = rows[-1]
            status, owner = last.get("new_status", "deleted"), last.get("new_executor", "nobody")
            struck = ", which was struck" if owner in seen.struck else ""
            yield f"{workflow} never ended: it is {status} under {owner}{struck}{_suspect(history, rows)}"


def _suspect(history: History, rows: Sequence[Row]) -> str:
    """What the SDK may have to do with a workflow that is PENDING for good; the verdict stays FAILED."""
    last = rows[-1]
    if last.get("new_status") != "PENDING":
        return ""
    if last.get("old_status") == "PENDING" and last.get("old_executor") != last.get("new_executor"):
        return " (it took the row back by winning a checkpoint: see REC-25)"
    for _, ask in history.asks_of("recovery"):
        if ask.succeeded and last.get("new_executor") in ask.names:
            return f" (a peer acknowledged its recovery, event {ask.request.frame.n}, without effect: see REC-21)"
    return ""


def _outcome_faults(workflow: str, seen: _Evidence) -> Iterator[str]:
    status: str | None = None
    ends = 0
    for row in seen.changes[workflow]:
        new = row.get("new_status")
        if status in TERMINAL and new != status:
            yield f"{workflow} left {status} for {new or 'nothing: it was deleted'}"
        elif status in TERMINAL and row.get("outcome_changed"):
            yield f"the outcome of {workflow} was rewritten after {status}"
        if new in TERMINAL and new != status:
            ends += 1
            yield from _unexpected(workflow, row, seen.expected.get(workflow))
        status = new
    if ends > 1:
        yield f"{workflow} reached a terminal status {ends} times"


def _unexpected(workflow: str, row: Row, expected: Row | None) -> Iterator[str]:
    if expected is None:
        return
    if row["new_status"] != expected["outcome"]:
        why = f" ({row['error'][:160]})" if row.get("error") else ""
        yield f"{workflow} ended in {row['new_status']}{why}, expected {expected['outcome']}"
    elif "output" in expected and _decoded(row.get("output")) != expected["output"]:
        wanted = json.dumps(expected["output"])[:160]
        yield f"{workflow} ended with output {str(row.get('output'))[:160]}, expected {wanted}"


def _decoded(output: Any) -> Any:
    """The portable JSON of an output; text that is none stays text, so that it can't equal the expected value."""
    if not isinstance(output, str):
        return output
    try:
        return json.loads(output)
    except ValueError:
        return output


def _again(execution: Row, seen: _Evidence) -> str | None:
    """The fault of this execution, if its claimant certainly took the workflow after the step's checkpoint.

    The n-th execution of a workflow within one process belongs to that process's n-th claim or a later one.
    """
    workflow, step, executor = execution["workflow"], execution["step"], execution["executor_id"]
    checkpoint = seen.checkpoints.get((workflow, step))
    claims = seen.claims(workflow, executor)
    if not claims:
        return f"step {step} of {workflow} was executed by {executor}, which never took the workflow"
    claim = claims[min(execution["run"], len(claims)) - 1]
    if checkpoint is None or claim < checkpoint:
        return None
    return f"step {step} of {workflow} was executed again by {executor}, which took the workflow after its checkpoint"
