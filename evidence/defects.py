"""What is wrong with one workflow of a real run, by its case alone and by who the executors were."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import msgspec

from evidence.cases import Case, Change, Execution
from evidence.weighed import TERMINAL, Defect, Process, Weighed

__all__ = ["defects_of", "taken_over"]

_CUT = 4096  # characters of an output that the trigger keeps


def taken_over(change: Change) -> bool:
    """A workflow in hand was queued anew, or handed to another executor at once (Java does)."""
    other = change.new == "PENDING" and change.new_executor != change.old_executor
    return change.old == "PENDING" and (change.new == "ENQUEUED" or other)


def defects_of(found: Weighed, case: Case, outcomes: list[Change], acknowledged: Mapping[str, int]) -> Iterator[Defect]:
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
            yield Defect("rewritten", case.workflow, case.app, text, _zombie(found, case, outcome))
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
                    _zombie(found, case, change),
                )  # fmt: skip
        elif status in TERMINAL and change.changed:
            yield Defect(
                "rewritten", case.workflow, case.app,
                f"the outcome of {case.workflow} was rewritten after {status} by {_who(found, change.new_executor)}",
                _zombie(found, case, change),
            )  # fmt: skip
        if change.new in TERMINAL and change.new != status:
            ends += 1
            yield from _unexpected(found, case, _with_outcome(change, outcomes))
        status = change.new
    if ends > 1:
        text = f"{case.workflow} reached a terminal status {ends} times"
        yield Defect("ended-twice", case.workflow, case.app, text, _zombie(found, case, case.changes[-1]))


def _with_outcome(change: Change, outcomes: list[Change]) -> Change:
    """The end with the outcome of its own transaction, where that is kept apart."""
    own = [each for each in outcomes if each.xid == change.xid] or outcomes[:1]
    return msgspec.structs.replace(change, output=own[0].output, error=own[0].error) if own else change


def _zombie(found: Weighed, case: Case, change: Change) -> str:
    """Whoever lost it while alive may have written: an outcome does not always name who did (Java)."""
    earlier = [each for each in case.changes if each.seq < change.seq]
    lost = any(taken_over(each) and found.alive(each.old_executor, each.at_us) for each in earlier)
    return "late-copy-writes" if lost or change.new_executor in found.paused else ""


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
        return len(output) >= _CUT  # cut by the trigger: its status and its steps tell enough


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

    Taking back the row by winning a checkpoint is no claim: that executor had begun before. Whoever is asked to recover
    what another peer has just queued anew may write its id into the queued row and carry it out all the same (Java).
    """
    attempts, found = 0, []
    for change in case.changes:
        started = change.new == "PENDING" and (change.old != "PENDING" or change.attempts > attempts)
        queued = change.old == change.new == "ENQUEUED" and change.new_executor != change.old_executor
        if started or queued:
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
