"""What the judge says: verdicts, findings, results, and the exit code of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

import msgspec

__all__ = ["FAILING", "Finding", "RunResult", "ScenarioResult", "Verdict", "exit_code", "worst"]


class Verdict(StrEnum):
    """In order of weight, the heaviest first: of several findings of one clause the heaviest counts."""

    HARNESS_ERROR = "HARNESS-ERROR"  # the suite itself broke: nothing is known
    FAILED = "FAILED"
    EARLY = "EARLY"  # wholly before its window
    LATE = "LATE"  # wholly after its window
    STALE = "STALE"  # listed as an expected failure, but passes
    NOT_TESTABLE = "NOT-TESTABLE"  # a prerequisite of a MUST failed
    VACUOUS = "VACUOUS"  # ran, but the fault or the work did not happen
    UNKNOWN = "UNKNOWN"  # the host's own jitter spans the boundary, or the watch was too short
    EXPECTED = "EXPECTED"  # a failure that the list of expected failures names
    UNCLEAN = "UNCLEAN"  # right, but left something behind
    NON_STRICT = "NON-STRICT"  # a SHOULD not met
    INFO = "INFO"  # the documents are silent: measured, not judged
    OK = "OK"
    UNSUPPORTED = "UNSUPPORTED"  # declared absent in the profile: not judged


_WEIGHT = {verdict: weight for weight, verdict in enumerate(reversed(Verdict))}

FAILING = frozenset({Verdict.FAILED, Verdict.EARLY, Verdict.LATE, Verdict.STALE, Verdict.NOT_TESTABLE, Verdict.VACUOUS})
"""Verdicts that fail a run, strict or not."""


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The heaviest of at least one verdict."""
    return max(verdicts, key=_WEIGHT.__getitem__)


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one rule found about one clause, with the events (by number) that show it."""

    clause: str
    verdict: Verdict
    rule: str
    subject: str = ""  # the executor, or "connection N", that it is about
    expected: str = ""
    seen: str = ""
    measured_s: float | None = None
    window_s: tuple[float, float | None] | None = None  # earliest and latest after the first of `events`; None: open
    events: tuple[int, ...] = ()


class ScenarioResult(msgspec.Struct, frozen=True, kw_only=True):
    """The verdicts of one history."""

    scenario: str
    title: str
    world: str
    clauses: dict[str, Verdict]  # declared ones, and any other that failed
    findings: tuple[Finding, ...] = ()
    path: str = ""  # of the history, relative to the run's folder
    duration_s: float = 0.0
    note: str = ""  # why there is no verdict, why it was expected to fail, ...
    again: str = ""  # a line for a shell that plays it again; empty: as `relayproof conform` does

    @property
    def verdict(self) -> Verdict:
        """The heaviest of its clauses."""
        return worst(self.clauses.values()) if self.clauses else Verdict.HARNESS_ERROR


class RunResult(msgspec.Struct, frozen=True, kw_only=True):
    """All verdicts of a run. ``levels`` holds MUST, SHOULD or INFO of every clause of the contract."""

    relay: str  # its name in the profile
    target: str  # what --relay was given: "builtin:reference", "url:...", or a profile's target
    started: str
    duration_s: float
    scenarios: tuple[ScenarioResult, ...]
    levels: Mapping[str, str]
    seed: int = 0
    pace: str = ""  # "fast", "documented" or "chaos"
    timing: Mapping[str, float] = {}
    tool: str = ""
    host: Mapping[str, Any] = {}
    versions: Mapping[str, str] = {}
    command: str = ""
    elsewhere: tuple[str, ...] = ()  # claimed MUST clauses that only other worlds have scenarios about

    @property
    def clauses(self) -> dict[str, Verdict]:
        """Each clause with the heaviest verdict of all scenarios, in the contract's order."""
        found: dict[str, list[Verdict]] = {}
        for scenario in self.scenarios:
            for clause, verdict in scenario.clauses.items():
                found.setdefault(clause, []).append(verdict)
        order = {clause: place for place, clause in enumerate(self.levels)}
        return {clause: worst(found[clause]) for clause in sorted(found, key=lambda c: (order.get(c, len(order)), c))}

    @property
    def musts_not_judged(self) -> tuple[str, ...]:
        """MUST clauses that the relay's profile can't show, in the contract's order."""
        return tuple(
            clause
            for clause, verdict in self.clauses.items()
            if verdict is Verdict.UNSUPPORTED and self.levels.get(clause) == "MUST"
        )


def exit_code(run: RunResult, strict: bool = False) -> int:
    """0 pass, 1 fail, 2 unknown, 3 harness error. A failure outweighs a harness error, and that an unknown.

    With ``strict`` a SHOULD not met, something left behind, and a MUST that the profile can't show fail as well.
    A run without any scenario is a harness error: it proves nothing.
    """
    verdicts = {verdict for scenario in run.scenarios for verdict in scenario.clauses.values()}
    verdicts |= {scenario.verdict for scenario in run.scenarios if not scenario.clauses}
    if verdicts & FAILING:
        return 1
    if strict and (verdicts & {Verdict.NON_STRICT, Verdict.UNCLEAN} or run.musts_not_judged):
        return 1
    if not verdicts or Verdict.HARNESS_ERROR in verdicts:
        return 3
    return 2 if Verdict.UNKNOWN in verdicts else 0
