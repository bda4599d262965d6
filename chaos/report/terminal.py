"""The summary on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chaos.report.summary import Summary, outcome
from evidence.verdict import FAILING, RunResult, Verdict

__all__ = ["print_run"]


def print_run(run: RunResult, summary: Summary | None, console: Console | None = None) -> None:
    """Without a console: to standard output."""
    out = console or Console()
    if summary is not None:
        out.print(_languages(summary))
    table = Table(box=None, pad_edge=False)
    for name in ("clause", "verdict", "rule", "what was seen"):
        table.add_column(name, overflow="fold")
    for scenario in run.scenarios:
        for finding in scenario.findings:
            table.add_row(finding.clause, _badge(finding.verdict), finding.rule, Text(finding.seen or finding.expected))
    out.print(table)
    for scenario in run.scenarios:
        if scenario.note:
            out.print(scenario.note, highlight=False, markup=False)
    if summary is not None:
        for each in summary.track_record:
            text = (
                f"SDK fault: {each.fault} in {each.language} {each.sdk}, {each.times} of {each.exposed}: {each.about}"
            )
            out.print(text, highlight=False, markup=False)
        for spared in summary.spared:
            out.print(f"work left out: {spared}", highlight=False, markup=False)
        for failed in summary.failed:
            out.print(f"fault not carried out: {failed}", highlight=False, markup=False)
        out.print(_blows(summary))
        if summary.never_struck:
            out.print(f"never struck: {', '.join(summary.never_struck)}", style="bold red", highlight=False)
    for scenario in run.scenarios if outcome(run) != "PASS" else ():
        if scenario.again:
            out.print(f"again     {scenario.again}", highlight=False, markup=False, soft_wrap=True)
    claim = summary.claim if summary is not None and summary.languages else "nothing was shown"
    word = outcome(run)
    style = {"PASS": "green", "UNKNOWN": "magenta"}.get(word, "bold red")
    out.print(Text(word, style=style), claim, highlight=False)


def _languages(summary: Summary) -> Table:
    table = Table(box=None, pad_edge=False)
    names = ("sdk", "processes", "workflows", "ended", "struck", "with work", "taken over", "zombies")
    for name in names:
        table.add_column(name, justify="left" if name == "sdk" else "right")
    for each in summary.languages:
        figures = (
            each.executors, each.workflows, each.ended, each.strikes, each.on_work, each.recovered, each.zombies,
        )  # fmt: skip
        table.add_row(f"{each.language} {each.sdk}", *(str(figure) for figure in figures))
    return table


def _blows(summary: Summary) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("fault, times (on work)")
    for language in summary.struck_languages:
        table.add_column(language, justify="right")
    for name, cells in summary.struck():
        table.add_row(name, *cells)
    return table


def _badge(verdict: Verdict) -> Text:
    style = "green" if verdict is Verdict.OK else "bold red" if verdict in FAILING else "yellow"
    return Text(str(verdict), style=style)
