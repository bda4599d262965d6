"""The report on a terminal: a table by clause, then each failure with what was expected and what was seen."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from evidence.summary import by_clause, headline
from evidence.verdict import RunResult, Verdict
from relayproof.report.words import KINDS, failures, outcome, remarkable, reproduce, told

__all__ = ["print_run"]

_STYLES = {
    "good": "green", "info": "cyan", "mute": "dim", "warn": "yellow", "doubt": "magenta", "bad": "bold red",
    "broken": "bold white on red",
}  # fmt: skip
_MOST_FAILURES = 20
_MOST_FINDINGS = 3


def print_run(run: RunResult, console: Console | None = None) -> None:
    """Print the whole report. Without a console: to standard output."""
    out = console or Console()
    out.print(_table(run))
    for reason, clauses in _reasons(run).items():
        out.print(f"UNSUPPORTED {', '.join(clauses)}: {reason}", highlight=False, markup=False, soft_wrap=True)
    failed = failures(run)
    for scenario in failed[:_MOST_FAILURES]:
        out.print()
        out.print(_badge(scenario.verdict), f"[bold]{escape(scenario.scenario)}[/] ({scenario.world})", scenario.title)
        for finding in remarkable(scenario)[:_MOST_FINDINGS]:
            out.print(f"  {finding.clause} {finding.verdict} by rule {finding.rule}", highlight=False, markup=False)
            for word, text in told(finding):
                out.print(f"    {word:<9} {text}", highlight=False, markup=False, soft_wrap=True)
        out.print(f"    again     {reproduce(run, scenario)}", highlight=False, markup=False, soft_wrap=True)
        out.print(f"    history   {scenario.path}", highlight=False, markup=False, soft_wrap=True)
    if len(failed) > _MOST_FAILURES:
        out.print(f"\n... and {len(failed) - _MOST_FAILURES} more; report.html has them all", highlight=False)
    out.print()
    style = _STYLES["good" if outcome(run) == "PASS" else "bad"]
    out.print(Text(outcome(run), style=style), headline(run), highlight=False)


def _table(run: RunResult) -> Table:
    table = Table(title=f"{run.relay}, {run.pace} timing", title_justify="left", pad_edge=False)
    table.add_column("clause", no_wrap=True)
    table.add_column("level")
    table.add_column("verdict", no_wrap=True)
    table.add_column("scenarios", justify="right")
    table.add_column("where", overflow="fold")
    for row in by_clause(run):
        where = ", ".join(row.failing[:3]) + (f" and {len(row.failing) - 3} more" if len(row.failing) > 3 else "")
        table.add_row(row.clause, row.level, _badge(row.verdict), str(row.scenarios), Text(where))
    return table


def _reasons(run: RunResult) -> dict[str, list[str]]:
    """Why clauses could not be shown, with the clauses."""
    reasons: dict[str, list[str]] = {}
    for row in by_clause(run):
        if row.reason:
            reasons.setdefault(row.reason, []).append(row.clause)
    return reasons


def _badge(verdict: Verdict) -> Text:
    return Text(str(verdict), style=_STYLES[KINDS[verdict]])
