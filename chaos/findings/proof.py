"""The proof of a finding: faults, frames of recoveries, and all that happened to one workflow, in order of time."""

from __future__ import annotations

from collections.abc import Iterator

from evidence.cases import Case, cases_of
from evidence.events import Fault
from evidence.history import History
from evidence.outcomes import wall_offset_us, weigh
from evidence.weighed import Weighed

__all__ = ["proof"]

_MOST_LINES = 24
_MOST_CHARACTERS = 220
_NO_EXECUTOR = ("relay", "database")
_AFTER_S = 1.0  # frames that are about its end


def proof(history: History, workflow: str) -> tuple[str, ...]:
    """The last lines of its life, a text each: what concerns it and the executors that ever had it, and nothing else.

    Empty for a workflow that the history does not know.
    """
    case = next((case for case in cases_of(history) if case.workflow == workflow and case.changes), None)
    offset_us = wall_offset_us(history)
    if case is None or offset_us is None:
        return ()
    found = weigh(history)
    own = [((at_us - offset_us) / 1e6, text) for at_us, text in _told(found, case)]
    since_s, until_s = min(own)[0], max(own)[0] + _AFTER_S
    owners = {change.new_executor for change in case.changes}
    around = [*_faults(found, history, owners), *_recoveries(found, history, owners)]
    lines = sorted([*own, *((at_s, text) for at_s, text in around if since_s <= at_s <= until_s)])
    return tuple(f"{at_s:.2f} s {text}"[:_MOST_CHARACTERS] for at_s, text in lines[-_MOST_LINES:])


def _faults(found: Weighed, history: History, owners: set[str]) -> Iterator[tuple[float, str]]:
    for fault in history.of(Fault):
        if fault.executor in _NO_EXECUTOR:
            yield fault.t / 1e9, f"fault {fault.kind} of the {fault.executor}"
        elif fault.executor in owners:
            yield fault.t / 1e9, f"fault {fault.kind} of {_label(found, fault.executor)}"


def _recoveries(found: Weighed, history: History, owners: set[str]) -> Iterator[tuple[float, str]]:
    for conn, ask in history.asks_of("recovery"):
        if owners & set(ask.names):
            peer = _label(found, conn.executor)
            yield ask.sent_ns / 1e9, f"relay to {peer}: {ask.request.frame.data}"
            if ask.answer is not None:
                yield ask.answer.frame.t / 1e9, f"{peer} to relay: {ask.answer.frame.data}"


def _told(found: Weighed, case: Case) -> Iterator[tuple[int, str]]:
    for change in case.changes:
        if change.kind == "outcome":
            yield change.at_us, f"outcome of {case.workflow}: {change.error or change.output}"
            continue
        old = f"{change.old} of {_label(found, change.old_executor)} -> " if change.old else ""
        error = f": {change.error}" if change.error else ""
        yield change.at_us, f"row {case.workflow}: {old}{change.new} of {_label(found, change.new_executor)}{error}"
    for execution in case.executions:
        yield execution.begin_us, f"{execution.executor} begins {execution.step} of {case.workflow}"
    for point in case.checkpoints:
        yield point.at_us, f"checkpoint of {point.step} of {case.workflow}"


def _label(found: Weighed, executor: str) -> str:
    process = found.processes.get(executor)
    return process.label if process is not None else executor or "nobody"
