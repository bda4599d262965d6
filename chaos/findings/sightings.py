"""What a try's history shows of a finding: the workflows that have it, and how many could have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evidence.cases import Case, Change, cases_of
from evidence.history import History
from evidence.outcomes import wall_offset_us, weigh
from evidence.sdk_faults import exposed
from evidence.weighed import Weighed

__all__ = ["Look", "Sighting", "by_judge", "left_behind", "runs_on", "takes_back"]

_MARGIN_US = 50_000  # between what two processes stamp
_LEFT_US = 500_000  # after the answer: a peer that is still at it has its rows by then


@dataclass(frozen=True, slots=True)
class Sighting:
    """``workflows`` that show it, of ``exposed`` that could have."""

    workflows: tuple[str, ...]
    exposed: int


Look = Callable[[History], Sighting]


def by_judge(fault: str) -> Look:
    """What the judge of chaos runs lays at the SDK's door under this name (`evidence.sdk_faults.KNOWN`)."""

    def look(history: History) -> Sighting:
        found = weigh(history)
        shown = tuple(sorted({defect.workflow for defect in found.defects if defect.sdk == fault}))
        return Sighting(shown, max(len(shown), exposed(found, fault)))

    return look


def runs_on(history: History) -> Sighting:
    """A falsely dead executor begins further steps of a workflow that a peer has taken over.

    The step in hand when it was stopped is its right; a workflow that it took again by a claim of its own as well.
    """
    return _of_zombies(history, _began_after)


def takes_back(history: History) -> Sighting:
    """A falsely dead executor has the row of a workflow again that a peer had taken over, without a claim: by winning
    a checkpoint.
    """
    return _of_zombies(history, lambda found, case, taken: _back(case, taken) is not None)


def left_behind(history: History) -> Sighting:
    """Rows of the dead executor that were not touched although a peer had acknowledged its recovery."""
    offset_us = wall_offset_us(history)
    acknowledged = {
        name: ask.answered_ns
        for _, ask in reversed(history.asks_of("recovery"))
        if ask.succeeded and ask.answered_ns is not None
        for name in ask.names
    }
    shown, of = [], 0
    for case in cases_of(history):
        owned = [change for change in case.changes if change.new == "PENDING" and change.new_executor in acknowledged]
        if not owned or offset_us is None:
            continue
        of += 1
        answered_ns = acknowledged[owned[-1].new_executor]
        assert answered_ns is not None
        after = [change for change in case.changes if change.seq > owned[-1].seq]
        if not after or after[0].at_us > offset_us + answered_ns / 1000 + _LEFT_US:
            shown.append(case.workflow)
    return Sighting(tuple(shown), of)


def _of_zombies(history: History, shows: Callable[[Weighed, Case, Change], bool]) -> Sighting:
    found = weigh(history)
    shown, of = [], 0
    for case in cases_of(history):
        taken = next((change for change in case.changes if _is_takeover(found, change)), None)
        if taken is None or _claims_again(case, taken):
            continue
        of += 1
        if shows(found, case, taken):
            shown.append(case.workflow)
    return Sighting(tuple(shown), of)


def _is_takeover(found: Weighed, change: Change) -> bool:
    return (
        change.old == "PENDING"
        and change.old_executor in found.paused
        and (change.new == "ENQUEUED" or (change.new == "PENDING" and change.new_executor != change.old_executor))
    )


def _claims_again(case: Case, taken: Change) -> bool:
    """The executor that came back took the workflow from a queue, as any peer may."""
    return any(
        change.seq > taken.seq
        and change.old == "ENQUEUED"
        and change.new == "PENDING"
        and change.new_executor == taken.old_executor
        for change in case.changes
    )


def _began_after(found: Weighed, case: Case, taken: Change) -> bool:
    label = _label(found, taken.old_executor)
    return any(each.executor == label and each.begin_us > taken.at_us + _MARGIN_US for each in case.executions)


def _back(case: Case, taken: Change) -> Change | None:
    for change in case.changes:
        if (
            change.seq > taken.seq
            and (change.old, change.new) == ("PENDING", "PENDING")
            and change.new_executor == taken.old_executor != change.old_executor
        ):
            return change
    return None


def _label(found: Weighed, executor: str) -> str:
    process = found.processes.get(executor)
    return process.label if process is not None else executor or "nobody"
