"""Outcomes of a whole chaos run, by its cases (OUT-1..5, REC-20), with what an SDK did wrong told apart.

A defect that a known fault of the SDK explains, of the sort that REC-21, 23, 24 or 25 would have prevented, is
NON-STRICT for the relay where every REC MUST is met and at least ten workflows were exposed (the contract's rule).
"""

from __future__ import annotations

from collections import Counter

from evidence.cases import cases_of
from evidence.events import Expect
from evidence.history import History
from evidence.outcomes import Defect, Weighed, weigh
from evidence.rules import invariant, rule
from evidence.rules.base import finding
from evidence.rules.outcomes_relay import recovery_is_kept
from evidence.sdk_faults import HARMLESS, KNOWN, PREVENTABLE, exposed
from evidence.strikes import never_struck
from evidence.verdict import Finding, Verdict

__all__ = ["cases_end", "cases_end_once", "kinds_survive", "steps_once", "zombies_change_nothing"]

_SHOWN = 5
LEAST_EXPOSED = 10


@rule("cases_end")
def cases_end(history: History, expect: Expect) -> list[Finding]:
    """OUT-1: every workflow whose insert the trigger saw reached a terminal status."""
    found = weigh(history)
    told = f"{found.cases} started workflows ended; {found.kills_on_work} strikes hit running work"
    return _judged(history, expect, found, found.of("lost"), "every started workflow reaches a terminal status", told)


@invariant("OUT-1")
def every_fault_strikes(history: History) -> list[Finding]:
    """OUT-1 after each fault: a tour that never struck some SDK with some fault can't tell."""
    missing = never_struck(history)
    if not missing:
        return []
    return [
        Finding(
            clause="OUT-1", verdict=Verdict.UNKNOWN, rule="every_fault_strikes",
            expected="each fault of the tour strikes each SDK", seen=f"never struck: {', '.join(missing)}",
        )
    ]  # fmt: skip


@rule("cases_end_once")
def cases_end_once(history: History, expect: Expect) -> list[Finding]:
    """OUT-2: one transition into a terminal status, never left, its outcome never rewritten, and the promised one."""
    found = weigh(history)
    defects = found.of("left-end", "rewritten", "ended-twice", "unexpected")
    told = f"{sum(found.ended.values())} workflows have one terminal transition each, with the promised outcome"
    return _judged(history, expect, found, defects, "one terminal transition, never left, never rewritten", told)


@rule("steps_once")
def steps_once(history: History, expect: Expect) -> list[Finding]:
    """OUT-3: each step was executed, and by no claimant that took the workflow after the step's checkpoint."""
    found = weigh(history)
    defects = found.of("step-missing", "step-again", "step-rewritten")
    told = (
        f"{found.steps} steps were executed, {found.repeated} of them more than once before their checkpoint,"
        f" {found.older} executions by an older claimant"
    )
    return _judged(history, expect, found, defects, "no step runs again after its checkpoint", told)


@rule("kinds_survive")
def kinds_survive(history: History, expect: Expect, *, kinds: list[str]) -> list[Finding]:
    """OUT-4: of each of these kinds a workflow lost its executor, was taken over, and ended."""
    found = weigh(history)
    wanted = f"workflows of the kinds {', '.join(kinds)} survive the death of their executor"
    lost = [defect for defect in found.of("lost") if _kind(history, found, defect) in kinds]
    if lost:
        return _judged(history, expect, found, lost, wanted, "")
    absent = [kind for kind in kinds if not found.kinds.get(kind, Counter())["ended after"]]
    told = ", ".join(f"{found.kinds[kind]['ended after']} {kind}" for kind in kinds if kind not in absent)
    if len(absent) == len(kinds):
        return [finding(expect, Verdict.VACUOUS, expected=wanted, seen="none of them was taken over from a dead one")]
    rest = f"; none happened to lose its executor: {', '.join(absent)}" if absent else ""
    return [finding(expect, Verdict.OK, expected=wanted, seen=f"taken over and ended: {told}{rest}")]


def _kind(history: History, found: Weighed, defect: Defect) -> str:
    for case in cases_of(history):
        if case.workflow == defect.workflow and case.promise is not None:
            return case.promise.kind
    return ""


@rule("zombies_change_nothing")
def zombies_change_nothing(history: History, expect: Expect) -> list[Finding]:
    """OUT-5: an executor that was paused, declared dead and woken again changed no recorded outcome."""
    found = weigh(history)
    wanted = "a paused executor that was declared dead and comes back changes no recorded outcome"
    defects = [defect for defect in found.of("left-end", "rewritten", "ended-twice") if defect.sdk]
    if defects:
        return _judged(history, expect, found, defects, wanted, "")
    if not found.zombies:
        reason = "no paused executor lost work to another" if found.paused else "no executor was paused"
        return [finding(expect, Verdict.VACUOUS, expected=wanted, seen=reason)]
    told = f"{sum(found.zombies.values())} workflows were taken from {len(found.zombies)} paused executors"
    return [finding(expect, Verdict.OK, expected=wanted, seen=told, events=found.events[:1])]


def _judged(
    history: History, expect: Expect, found: Weighed, defects: list[Defect], wanted: str, told: str
) -> list[Finding]:
    """A defect counts, whatever else is missing; without one, too little work is VACUOUS."""
    events = (*sorted(found.struck.values())[:_SHOWN], *found.events[:1])
    if not found.cases:
        return [finding(expect, Verdict.VACUOUS, expected=wanted, seen="the history has no workflow", events=events)]
    if not defects:
        if (lacking := too_little(found)) is not None:
            return [finding(expect, Verdict.VACUOUS, expected=wanted, seen=lacking, events=events)]
        return [finding(expect, Verdict.OK, expected=wanted, seen=told, events=events)]
    own = [defect for defect in defects if defect.sdk not in PREVENTABLE and defect.sdk not in HARMLESS]
    excused = [defect for defect in defects if defect not in own]
    results = []
    if own:
        results.append(finding(expect, Verdict.FAILED, expected=wanted, seen=_told_by_cause(own), events=events))
    for sdk in sorted({defect.sdk for defect in excused}):
        these = [defect for defect in excused if defect.sdk == sdk]
        results.append(_excused(history, expect, found, sdk, these, wanted, events))
    return results


def _excused(
    history: History, expect: Expect, found: Weighed, sdk: str, defects: list[Defect], wanted: str,
    events: tuple[int, ...],
) -> Finding:  # fmt: skip
    """The relay's part in what an SDK did wrong."""
    if sdk in HARMLESS:
        seen = f"by an SDK's own fault ({KNOWN[sdk]}): {_told(defects)}"
        return finding(expect, Verdict.INFO, expected=wanted, seen=seen, events=events)
    times, of = len(defects), exposed(found, sdk)
    seen = f"{sdk} ({PREVENTABLE[sdk]}), {times} of {of}: {_told(defects)}"
    lenient = of >= LEAST_EXPOSED and recovery_is_kept(history)
    verdict = Verdict.NON_STRICT if lenient else Verdict.FAILED
    return finding(expect, verdict, expected=wanted, seen=seen, events=events)


def too_little(found: Weighed) -> str | None:
    """Why nothing was proved: no strike, none that hit running work, or nobody took that work over."""
    if not found.struck and not found.zombies:
        return "no executor was killed, stopped or paused"
    if not found.kills_on_work and not found.zombies:
        return f"none of {len(found.struck)} strikes hit running work"
    if not found.recoveries and not found.zombies:
        return "no living executor took over the work of a struck one"
    return None


def _told_by_cause(defects: list[Defect]) -> str:
    """An SDK's own fault is named as such: the contract makes it the relay's failure all the same."""
    causes = sorted({defect.sdk for defect in defects})
    told = {cause: _told([defect for defect in defects if defect.sdk == cause]) for cause in causes}
    return "; ".join(
        f"by an SDK's own fault ({KNOWN[cause]}): {text}" if cause else text for cause, text in told.items()
    )


def _told(defects: list[Defect]) -> str:
    more = f"; and {len(defects) - _SHOWN} more" if len(defects) > _SHOWN else ""
    return "; ".join(defect.text for defect in defects[:_SHOWN]) + more
