"""The HTML page: one file with styles, script and data inside, nothing from the network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

import spec
from evidence.errors import HistoryError
from evidence.history import load
from evidence.summary import by_clause, by_family, headline
from evidence.verdict import RunResult, ScenarioResult, Verdict
from relayproof.report.picture import picture
from relayproof.report.templates import asset, template
from relayproof.report.words import FAMILIES, KINDS, ordered, outcome, reproduce, told, weighted

__all__ = ["page"]

_TIMING_WORDS: Mapping[str, str] = {
    "i": "ping interval", "w": "ping wait", "g": "grace", "scan": "scan", "slack": "slack",
    "handshake": "handshake deadline", "request": "request deadline", "recovery": "recovery deadline",
    "backoff": "first backoff", "backoff_cap": "backoff cap", "redial": "redial",
}  # fmt: skip


def page(run: RunResult, folder: Path) -> str:
    """The whole page. Histories that can't be read have no drawing; the page says why."""
    scenarios = [_scenario(run, each, folder, place) for place, each in enumerate(weighted(run.scenarios))]
    verdicts = Counter(each.verdict for each in run.scenarios)
    return template(__package__).render(
        run=run, outcome=outcome(run), headline=headline(run), scenarios=scenarios, kinds=KINDS, families=FAMILIES,
        family_rows=by_family(run), clause_rows=by_clause(run), texts={c.id: c.text for c in spec.clauses().values()},
        verdicts=[(verdict, verdicts[verdict]) for verdict in Verdict if verdicts[verdict]],
        worlds=sorted({each.world for each in run.scenarios}), order=list(Verdict), facts=_facts(run),
        css=asset(__package__, "page.css"), js=asset(__package__, "page.js"),
    )  # fmt: skip


def _scenario(run: RunResult, result: ScenarioResult, folder: Path, place: int) -> dict[str, Any]:
    drawing, problem = "", ""
    try:
        drawing = _embedded(picture(load(folder / result.path), result.findings))
    except (HistoryError, OSError) as failure:
        problem = str(failure)
    return {
        "result": result, "place": place, "findings": ordered(result.findings), "drawing": drawing,
        "problem": problem, "told": told, "again": reproduce(run, result),
    }  # fmt: skip


def _facts(run: RunResult) -> list[tuple[str, str]]:
    timing = ", ".join(f"{_TIMING_WORDS.get(name, name)} {seconds:g} s" for name, seconds in run.timing.items())
    facts = [
        ("relay", f"{run.relay} ({run.target})"),
        ("started", run.started),
        ("took", f"{run.duration_s:.1f} s"),
        ("seed", str(run.seed)),
        ("timing", f"{run.pace}: {timing}"),
        ("host", ", ".join(f"{name} {value}" for name, value in run.host.items())),
        ("versions", ", ".join(f"{name} {value}" for name, value in run.versions.items()) or run.tool),
        ("command", run.command),
    ]
    return [(name, text) for name, text in facts if text]


def _embedded(value: Any) -> str:
    """JSON that can stand inside a script element: no end tag, no comment, whatever a relay sent."""
    text = msgspec.json.encode(value).decode()
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
