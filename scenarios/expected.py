"""The list of known failures: a run fails only for what is new, and for what is no longer true.

One entry a line, ``CLAUSE`` or ``SCENARIO:CLAUSE`` (both may be globs), then the reason after ``#``:

    # issue 71: the relay closes silent sockets too late
    LIV-3/silent-socket:LIV-3   # waits for two pings
    REC-18                      # sends all recoveries to one peer

A reason is required: on the line, or as a comment line of its own above the entry.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from evidence.verdict import FAILING, Finding, RunResult, ScenarioResult, Verdict
from scenarios.catalogue import Scenario
from scenarios.errors import UsageError

_FAILURES = FAILING - {Verdict.STALE}


@dataclass(frozen=True, slots=True)
class Expectation:
    """One line of the list. An empty ``scenario`` stands for every scenario."""

    scenario: str
    clause: str
    reason: str
    line: int

    @property
    def text(self) -> str:
        return f"{self.scenario}:{self.clause}" if self.scenario else self.clause

    def matches(self, scenario: str, clause: str) -> bool:
        """A scenario's name without its variant stands for all of them."""
        about = not self.scenario or fnmatchcase(scenario, self.scenario) or scenario.startswith(f"{self.scenario}/")
        return about and fnmatchcase(clause, self.clause)


def load(path: Path) -> list[Expectation]:
    """Raises `UsageError` for a file that can't be read and for an entry without a reason."""
    if os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110, PTH113 - pathlib raises for too long a name
        raise UsageError(f"--expected-failures {path}: no regular file: give a list as docs/profile.md shows one")
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()  # some editors begin a file with a byte order mark
    except (OSError, UnicodeDecodeError) as problem:
        raise UsageError(f"--expected-failures {path}: can't be read: {problem}") from problem
    found, above = [], ""
    for number, line in enumerate(lines, start=1):
        entry, _, comment = (part.strip() for part in line.partition("#"))
        if not entry:
            above = comment or ""
            continue
        if not (reason := comment or above):
            raise UsageError(f"{path}, line {number}: {entry!r} has no reason; write one after #")
        scenario, colon, clause = entry.rpartition(":")
        if not clause or " " in entry or (colon and not scenario):
            raise UsageError(f"{path}, line {number}: {entry!r} is no entry; give CLAUSE or SCENARIO:CLAUSE")
        found.append(Expectation(scenario, clause, reason, number))
    return found


def check(
    expectations: Sequence[Expectation], catalogue: Sequence[Scenario], stored: Sequence[ScenarioResult] = ()
) -> None:
    """Raises `UsageError` for an entry that no scenario can ever meet: it would hide nothing and never grow stale.

    ``stored``: of a run that may be older than the catalogue.
    """
    known = [(each.id, each.clauses) for each in catalogue]
    known += [(each.scenario, tuple(each.clauses)) for each in stored]
    for entry in expectations:
        if not any(entry.matches(scenario, clause) for scenario, clauses in known for clause in clauses):
            raise UsageError(
                f"the list of known failures, line {entry.line}: {entry.text!r} names no scenario and clause that go "
                "together; `relayproof list` has both"
            )


def apply(expectations: Sequence[Expectation], run: RunResult) -> RunResult:
    """Listed failures become EXPECTED. A listed clause that was judged and failed nowhere becomes STALE."""
    used = {
        expectation
        for expectation in expectations
        for scenario in run.scenarios
        for clause, verdict in scenario.clauses.items()
        if verdict in _FAILURES and expectation.matches(scenario.scenario, clause)
    }
    scenarios = tuple(_applied(expectations, used, scenario) for scenario in run.scenarios)
    return msgspec.structs.replace(run, scenarios=scenarios)


def _applied(expectations: Sequence[Expectation], used: set[Expectation], scenario: ScenarioResult) -> ScenarioResult:
    verdicts, findings, reasons = dict(scenario.clauses), list(scenario.findings), []
    for clause, verdict in scenario.clauses.items():
        for expectation in expectations:
            if not expectation.matches(scenario.scenario, clause):
                continue
            if verdict in _FAILURES:
                verdicts[clause] = Verdict.EXPECTED
                reasons.append(f"{clause} is expected to fail: {expectation.reason}")
                break
            if expectation not in used and verdict in (Verdict.OK, Verdict.INFO):
                verdicts[clause] = Verdict.STALE
                seen = f"{expectation.text} (line {expectation.line} of the list) passes: remove it"
                findings.append(Finding(clause=clause, verdict=Verdict.STALE, rule="expected-failures", seen=seen))
                break
    note = "; ".join(filter(None, [scenario.note, *reasons]))
    return msgspec.structs.replace(scenario, clauses=verdicts, findings=tuple(findings), note=note)
