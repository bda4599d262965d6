"""A run by clause and by family, and its failures against a list of expected ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from evidence.errors import EvidenceError
from evidence.verdict import FAILING, Finding, RunResult, ScenarioResult, Verdict, worst

__all__ = [
    "ClauseRow",
    "Expectation",
    "ExpectedFailuresError",
    "FamilyRow",
    "by_clause",
    "by_family",
    "headline",
    "merge_expected",
    "read_expected",
]


class ClauseRow(msgspec.Struct, frozen=True, kw_only=True):
    """One clause over all scenarios of a run."""

    clause: str
    level: str
    verdict: Verdict
    scenarios: int
    failing: tuple[str, ...]  # ids of scenarios in which it has the row's verdict, where that is no pass


class FamilyRow(msgspec.Struct, frozen=True, kw_only=True):
    """One family of clauses: how many of its clauses have which verdict."""

    family: str
    verdict: Verdict
    counts: Mapping[Verdict, int]


class Expectation(msgspec.Struct, frozen=True):
    """One line of the list of expected failures: a scenario id or glob, and a clause or ``*``."""

    scenario: str
    clause: str = "*"


class ExpectedFailuresError(EvidenceError):
    """The list of expected failures can't be read; the text names the file and the line."""


_PASSES = frozenset({Verdict.OK, Verdict.INFO, Verdict.UNSUPPORTED, Verdict.EXPECTED})
_EXCUSABLE = FAILING - {Verdict.STALE}


def by_clause(run: RunResult) -> list[ClauseRow]:
    """A row for each clause that the run has a verdict about, in the contract's order."""
    rows = []
    for clause, verdict in run.clauses.items():
        about = [each for each in run.scenarios if clause in each.clauses]
        failing = () if verdict in _PASSES else tuple(_id(s) for s in about if s.clauses[clause] is verdict)
        level = run.levels.get(clause, "?")
        rows.append(ClauseRow(clause=clause, level=level, verdict=verdict, scenarios=len(about), failing=failing))
    return rows


def by_family(run: RunResult) -> list[FamilyRow]:
    """A row for each family, in the contract's order."""
    families: dict[str, list[Verdict]] = {}
    for clause, verdict in run.clauses.items():
        families.setdefault(clause.partition("-")[0], []).append(verdict)
    return [
        FamilyRow(family=family, verdict=worst(verdicts), counts=Counter(verdicts))
        for family, verdicts in families.items()
    ]


def headline(run: RunResult) -> str:
    """One sentence: how many scenarios and clauses, what is wrong, what was not judged."""
    counts = Counter(run.clauses.values())
    wrong = [f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict] and verdict not in _PASSES]
    told = f"{len(run.scenarios)} scenarios, {len(run.clauses)} clauses: {counts[Verdict.OK]} OK"
    if counts[Verdict.INFO]:
        told += f", {counts[Verdict.INFO]} measured"
    told += ", " + ", ".join(wrong) if wrong else ""
    broken = sum(1 for scenario in run.scenarios if not scenario.clauses)
    told += f", {broken} histories that prove nothing" if broken else ""
    missed = run.musts_not_judged
    if missed:
        musts = sum(1 for clause in run.clauses if run.levels.get(clause) == "MUST")
        told += f"; {len(missed)} of {musts} MUST not judged ({', '.join(missed)})"
    return told


def read_expected(path: Path) -> tuple[Expectation, ...]:
    """Lines ``<scenario id or glob> [<clause>]``; ``#`` starts a comment. Raises `ExpectedFailuresError`."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise ExpectedFailuresError(f"{path}: the list of expected failures can't be read: {problem}") from problem
    found = []
    for number, line in enumerate(lines, start=1):
        words = line.partition("#")[0].split()
        if len(words) > 2:
            raise ExpectedFailuresError(f"{path}: line {number}: give a scenario id and at most one clause: {line!r}")
        if words:
            found.append(Expectation(*words))
    return tuple(found)


def merge_expected(run: RunResult, expected: Sequence[Expectation]) -> RunResult:
    """Listed failures become EXPECTED; a listed clause that no longer fails anywhere it was listed is STALE.

    A list entry is stale when the run has scenarios that it matches and none of them fails.
    """
    used: set[Expectation] = set()
    merged = [_excused(scenario, expected, used) for scenario in run.scenarios]
    stale = [each for each in expected if each not in used]
    return msgspec.structs.replace(run, scenarios=tuple(_staled(scenario, stale) for scenario in merged))


def _excused(scenario: ScenarioResult, expected: Sequence[Expectation], used: set[Expectation]) -> ScenarioResult:
    clauses = dict(scenario.clauses)
    for clause, verdict in scenario.clauses.items():
        listed = [each for each in expected if _matches(each, scenario, clause)]
        if listed and verdict in _EXCUSABLE:
            used.update(listed)
            clauses[clause] = Verdict.EXPECTED
    return msgspec.structs.replace(scenario, clauses=clauses)


def _staled(scenario: ScenarioResult, stale: Sequence[Expectation]) -> ScenarioResult:
    clauses, findings = dict(scenario.clauses), list(scenario.findings)
    for clause, verdict in scenario.clauses.items():
        if verdict in (Verdict.OK, Verdict.NON_STRICT, Verdict.INFO) and any(
            _matches(each, scenario, clause) for each in stale
        ):
            clauses[clause] = Verdict.STALE
            told = "it is in the list of expected failures, but passes: take it off the list"
            findings.append(Finding(clause=clause, verdict=Verdict.STALE, rule="expected-failures", seen=told))
    return msgspec.structs.replace(scenario, clauses=clauses, findings=tuple(findings))


def _matches(each: Expectation, scenario: ScenarioResult, clause: str) -> bool:
    return any(fnmatchcase(name, each.scenario) for name in (scenario.scenario, _id(scenario))) and fnmatchcase(
        clause, each.clause
    )


def _id(scenario: ScenarioResult) -> str:
    return f"{scenario.scenario}@{scenario.world}" if scenario.world else scenario.scenario
