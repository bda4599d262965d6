"""A study's answer as files: ``index.html``, ``answer.json``, a CSV file for each table, SVG and PNG for each chart."""

from __future__ import annotations

import csv
import re
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import msgspec

from relayproof.report.templates import asset, template
from relayproof.studies import charts
from simulator.studies.estimates import Estimate, brief
from simulator.studies.study import Answer, Table

__all__ = ["write"]


def write(answer: Answer, folder: Path, command: str) -> Path:
    """Write everything below ``folder`` and return the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "answer.json").write_bytes(msgspec.json.format(msgspec.json.encode(answer), indent=1) + b"\n")
    for table in answer.tables:
        _csv(table, folder / f"{_slug(table.title)}.csv")
    drawings = []
    for chart in answer.charts:
        drawings.append({"chart": chart, "svg": charts.inline(chart)})
        (folder / f"{_slug(chart.title)}.svg").write_text(charts.svg(chart))
        (folder / f"{_slug(chart.title)}.png").write_bytes(charts.png(chart))
    page = folder / "index.html"
    text = template(__package__).render(
        answer=answer,
        drawings=drawings,
        titles={table.title for table in answer.tables},
        command=command,
        day=datetime.now(UTC).strftime("%d %B %Y"),
        tool=f"relayproof {version('relayproof')}",
        is_estimate=_is_estimate,
        numeric=_numeric,
        brief=brief,
        css=asset("relayproof.report", "page.css"),
        own_css=asset(__package__, "page.css"),
    )
    page.write_text(text)
    return page


def _csv(table: Table, path: Path) -> None:
    """An estimate becomes four columns: value, low, high, n."""
    wide = [any(isinstance(row[at], Estimate) for row in table.rows) for at in range(len(table.columns))]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        head: list[str] = []
        for name, estimated in zip(table.columns, wide, strict=True):
            head += [name, f"{name}: low", f"{name}: high", f"{name}: n"] if estimated else [name]
        writer.writerow(head)
        for row in table.rows:
            cells: list[object] = []
            for cell, estimated in zip(row, wide, strict=True):
                if isinstance(cell, Estimate):
                    cells += [cell.value, cell.low, cell.high, cell.n]
                else:
                    cells += [cell, "", "", ""] if estimated else [cell]
            writer.writerow(cells)


def _is_estimate(cell: object) -> bool:
    return isinstance(cell, Estimate)


def _numeric(table: Table, column: int) -> bool:
    """Whether most of a column is measured."""
    return sum(not isinstance(row[column], str) for row in table.rows) * 2 > len(table.rows)


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
