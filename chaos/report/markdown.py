"""Markdown for a CI step's summary."""

from __future__ import annotations

from chaos.report.summary import Summary, outcome
from evidence.verdict import RunResult, Verdict

__all__ = ["markdown"]

_SIGNS = {"PASS": "✅", "UNKNOWN": "❔", "HARNESS ERROR": "💥"}


def markdown(run: RunResult, summary: Summary | None) -> str:
    word = outcome(run)
    lines = [f"## {_SIGNS.get(word, '❌')} {word}: chaos on {_cell(run.relay)}", ""]
    if summary is not None:
        lines += [f"{summary.claim}.", "", *_languages(summary), ""]
        lines += [f"Recoveries: {summary.acknowledged} of {summary.recoveries} acknowledged.", "", *_blows(summary), ""]
        lines += [f"Work left out: {_cell(spared)}.\n" for spared in summary.spared]
        if summary.never_struck:
            lines += [f"Never struck: {', '.join(summary.never_struck)}.", ""]
    lines += ["| clause | level | verdict | what was seen |", "|---|---|---|---|"]
    for scenario in run.scenarios:
        for finding in scenario.findings:
            level = run.levels.get(finding.clause, "")
            seen = _cell(finding.seen or finding.expected)
            lines.append(f"| {finding.clause} | {level} | {finding.verdict} | {seen} |")
        if scenario.verdict is Verdict.HARNESS_ERROR and scenario.note:
            lines += ["", "```", scenario.note.strip()[-1500:], "```"]
    if summary is not None and summary.track_record:
        lines += ["", "### What SDKs did wrong themselves, apart from the relay's verdict", ""]
        lines += ["| fault | SDK | seen here | measured apart |", "|---|---|---|---|"]
        lines += [
            f"| {each.fault}: {each.about} | {each.language} {each.sdk} | {each.times} of {each.exposed}"
            f" ({100 * each.rate[0]:.0f} to {100 * each.rate[1]:.0f} %) | {rate} |"
            for each, rate in zip(summary.track_record, summary.rates, strict=True)
        ]
    if word != "PASS":
        lines += [line for each in run.scenarios if each.again for line in ("", "```sh", each.again, "```")]
    return "\n".join([*lines, "", f"seed {run.seed} · {run.started} · {run.duration_s:.0f} s", ""])


def _languages(summary: Summary) -> list[str]:
    rows = ["| SDK | workflows | ended | killed or stopped | with work in hand | taken over | zombies |"]
    rows.append("|---|---|---|---|---|---|---|")
    return rows + [
        f"| {each.language} {each.sdk} | {each.workflows} | {each.ended} | {each.strikes} | {each.on_work} |"
        f" {each.recovered} | {each.zombies} |"
        for each in summary.languages
    ]


def _blows(summary: Summary) -> list[str]:
    names = summary.struck_languages
    rows = [f"| fault, times (on work) | {' | '.join(names)} |", "|---|" + "---|" * len(names)]
    return rows + [f"| {name} | {' | '.join(cells)} |" for name, cells in summary.struck()]


def _cell(text: str) -> str:
    """Text that stays within its line and its cell."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("`", "'")
