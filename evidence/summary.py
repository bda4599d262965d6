"""A run by clause and by family, and in one sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from evidence.verdict import RunResult, ScenarioResult, Verdict, worst

__all__ = ["ClauseRow", "FamilyRow", "by_clause", "by_family", "headline"]


class ClauseRow(msgspec.Struct, frozen=True, kw_only=True):
    """One clause over all scenarios of a run."""

    clause: str
    level: str
    verdict: Verdict
    scenarios: int
    failing: tuple[str, ...]  # ids of scenarios in which it has the row's verdict, where that is no pass
    reason: str = ""  # why nothing of it could be shown, where that is the verdict


class FamilyRow(msgspec.Struct, frozen=True, kw_only=True):
    """One family of clauses: how many of its clauses have which verdict."""

    family: str
    verdict: Verdict
    counts: Mapping[Verdict, int]


_PASSES = frozenset({Verdict.OK, Verdict.INFO, Verdict.UNSUPPORTED, Verdict.EXPECTED})


def by_clause(run: RunResult) -> list[ClauseRow]:
    """A row for each clause that the run has a verdict about, in the contract's order."""
    rows = []
    for clause, verdict in run.clauses.items():
        about = [each for each in run.scenarios if clause in each.clauses]
        failing = () if verdict in _PASSES else tuple(_id(s) for s in about if s.clauses[clause] is verdict)
        level = run.levels.get(clause, "?")
        reason = _why_unsupported(clause, about) if verdict is Verdict.UNSUPPORTED else ""
        rows.append(
            ClauseRow(clause=clause, level=level, verdict=verdict, scenarios=len(about), failing=failing, reason=reason)
        )
    return rows


def _why_unsupported(clause: str, about: Sequence[ScenarioResult]) -> str:
    """The reason that most scenarios give, and how many others there are."""
    reasons = Counter(
        finding.seen or scenario.note
        for scenario in about
        for finding in scenario.findings
        if finding.clause == clause and finding.verdict is Verdict.UNSUPPORTED
    )
    if not reasons:
        return ""
    (most, _), others = reasons.most_common(1)[0], len(reasons) - 1
    return f"{most} (and {_number(others, 'other reason')})" if others else most


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
    told = f"{_number(len(run.scenarios), 'scenario')}, {_number(len(run.clauses), 'clause')}: {counts[Verdict.OK]} OK"
    if counts[Verdict.INFO]:
        told += f", {counts[Verdict.INFO]} measured"
    told += ", " + ", ".join(wrong) if wrong else ""
    broken = sum(1 for scenario in run.scenarios if not scenario.clauses)
    told += f", {broken} {'history that proves' if broken == 1 else 'histories that prove'} nothing" if broken else ""
    missed = run.musts_not_judged
    if missed:
        musts = sum(1 for clause in run.clauses if run.levels.get(clause) == "MUST")
        told += f"; {len(missed)} of {musts} MUST not judged ({', '.join(missed)})"
    if run.elsewhere:
        told += f"; {len(run.elsewhere)} MUST only in another world ({', '.join(run.elsewhere)})"
    return told


def _number(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _id(scenario: ScenarioResult) -> str:
    return f"{scenario.scenario}@{scenario.world}" if scenario.world else scenario.scenario
