"""Markdown for a CI step's summary: the outcome, a table by family, the failures, then every clause folded away."""

from __future__ import annotations

from evidence.summary import by_clause, by_family, headline
from evidence.verdict import RunResult, ScenarioResult, Verdict
from relayproof.report.words import FAMILIES, KINDS, failures, outcome, remarkable, reproduce, told

__all__ = ["markdown"]

_SIGNS = {"good": "✅", "info": "ℹ️", "mute": "⚪", "warn": "🟡", "doubt": "❔", "bad": "❌", "broken": "💥"}
_MOST_FAILURES = 30


def markdown(run: RunResult) -> str:
    """The whole summary; GitHub, GitLab and Gitea show it alike."""
    signs = {"PASS": "✅", "FAIL": "❌", "UNKNOWN": "❔"}
    lines = [
        f"## {signs.get(outcome(run), '💥')} {outcome(run)}: relayproof of {_cell(run.relay)}",
        "",
        f"{headline(run)}.",
        "",
        f"{run.tool} · {run.pace} timing · seed {run.seed} · {run.duration_s:.0f} s · {run.started}",
        "",
        *_families(run),
    ]
    failed = failures(run)
    for scenario in failed[:_MOST_FAILURES]:
        lines += ["", *_failure(run, scenario)]
    if len(failed) > _MOST_FAILURES:
        lines += ["", f"... and {len(failed) - _MOST_FAILURES} more in report.html."]
    return "\n".join([*lines, "", *_clauses(run), ""])


def _families(run: RunResult) -> list[str]:
    rows = ["| family | verdict | clauses |", "|---|---|---|"]
    for row in by_family(run):
        counts = ", ".join(f"{row.counts[verdict]} {verdict}" for verdict in Verdict if row.counts.get(verdict))
        rows.append(f"| {row.family} {FAMILIES.get(row.family, '')} | {_sign(row.verdict)} {row.verdict} | {counts} |")
    return rows


def _failure(run: RunResult, scenario: ScenarioResult) -> list[str]:
    lines = [f"### {_sign(scenario.verdict)} {scenario.scenario} ({scenario.world})", "", _cell(scenario.title), ""]
    for finding in remarkable(scenario)[:5]:
        lines.append(f"- **{finding.clause} {finding.verdict}** by rule `{finding.rule}`")
        lines += [f"  - {word}: {_cell(text)}" for word, text in told(finding)]
    return [*lines, "", "```sh", reproduce(run, scenario), "```"]


def _clauses(run: RunResult) -> list[str]:
    rows = ["<details><summary>Every clause</summary>", ""]
    rows += ["| clause | level | verdict | scenarios | why not |", "|---|---|---|---|---|"]
    rows += [
        f"| {row.clause} | {row.level} | {_sign(row.verdict)} {row.verdict} | {row.scenarios} | {_cell(row.reason)} |"
        for row in by_clause(run)
    ]
    return [*rows, "", "</details>"]


def _sign(verdict: Verdict) -> str:
    return _SIGNS[KINDS[verdict]]


def _cell(text: str) -> str:
    """Text that stays within its line and its cell, whatever a relay answered."""
    flat = " ".join(text.split())
    return flat.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("`", "'")
