"""``relayproof matrix``: what each SDK version really does, row by row, and what changed between two."""

from __future__ import annotations

import asyncio
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import App, Parameter
from rich.console import Console
from rich.table import Table

from chaos.errors import MissingPostgres
from relayproof import matrix_page
from relayproof.errors import CommandError, MissingPart, WrongUsage
from sdk_matrix.errors import LicenceRefused, MatrixError, MissingSdk, UnknownLanguage
from sdk_matrix.matrix import diff as differences
from sdk_matrix.matrix import file, markdown, never
from sdk_matrix.matrix.agreement import against_declared, against_documented
from sdk_matrix.matrix.catalogue import rows as all_rows
from sdk_matrix.matrix.markdown import shown_timing
from sdk_matrix.matrix.measure import SDKS, measure
from sdk_matrix.matrix.model import Cell, Column, Matrix, Row

__all__ = ["app", "diff", "matrix"]

Names = Annotated[tuple[str, ...], Parameter(consume_multiple=True, negative="", show_default=False)]
PAGES = (("sdk-matrix.md", markdown.markdown), ("what-relays-must-never-send.md", never.never))
_UNMEASURED_SHARE = 0.05
_LEAST_COLUMNS = 160  # a narrower table of six SDKs tells nothing; a pipe has no width

app = App(name="matrix", help="Measure what SDK versions do with every message and every misbehaviour of a relay.")


@app.default
def matrix(
    *,
    sdk: Names = (),
    rows: str = "",
    results: Path | None = None,
    again: Path | None = None,
    docs: Path | None = None,
) -> int:
    """Measure. Exit code 0: at most 5 % of the cells were not measured; 2: more; 3: harness error; 64: wrong usage.

    Parameters
    ----------
    sdk
        Such as python==2.31.1,go; default: all four languages, two versions of Python and TypeScript.
    rows
        A part of the ids of the rows wanted, such as liveness or messages/alert. Default: all.
    results
        Folder for matrix.json, the Markdown pages and index.html. Default: results/matrix-TIME.
    again
        Measure nothing: make the pages of this matrix.json, with the rows' texts as they are now.
    docs
        Also write sdk-matrix.json and both Markdown pages into this folder.
    """
    if not any(rows in row.id for row in all_rows()):
        groups = ", ".join(dict.fromkeys(row.group for row in all_rows()))
        raise WrongUsage(f"--rows: no row's id has {rows!r} in it; the groups are {groups}")
    sdks = _split(sdk)
    if sdk and not sdks:
        raise WrongUsage("--sdk names no SDK: write it as in --sdk python==2.31.1,go, or leave it out for all")
    if results is not None:
        results.mkdir(parents=True, exist_ok=True)  # before minutes of measuring that could not be kept
    found = _with_texts_of_now(_read(again)) if again is not None else _measured(sdks or SDKS, rows)
    folder = results or Path("results") / f"matrix-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    folder.mkdir(parents=True, exist_ok=True)
    file.write(found, folder / "matrix.json")
    _write_pages(found, folder)
    (folder / "index.html").write_text(matrix_page.page(found))
    if docs is not None:
        file.write(found, docs / "sdk-matrix.json")
        _write_pages(found, docs)
    _show(found)
    missing = found.unmeasured()
    for row, column, reason in missing:
        print(f"not measured: {row}, {column}: {reason}", file=sys.stderr)
    cells = len(found.rows) * len(found.columns)
    print(f"{len(found.rows)} rows, {cells} cells, {len(missing)} not measured, {found.took_s:.0f} s")
    print(folder / "index.html")
    return 2 if len(missing) > _UNMEASURED_SHARE * cells else 0


@app.command
def diff(one: Path, other: Path, *, before: str | None = None, after: str | None = None) -> int:
    """Tell what changed. Exit code 0: nothing that a clause rests on; 1: a clause is touched; 64: nothing to compare.

    Parameters
    ----------
    one
        A matrix.json.
    other
        Another, or the same one with --before and --after.
    before
        The SDK of the first file to compare, such as python==2.31.1.
    after
        The SDK of the second file to compare it with.
    """
    first, second = _read(one), _read(other)
    try:
        compared = differences.pairs(first, second, before, after)
    except differences.NothingToCompare as problem:
        raise WrongUsage(str(problem)) from problem
    found = differences.changes(first, second, compared)
    table = Table("row", "SDK", "what", "was", "is", "clauses")
    for change in found:
        sdk = (
            change.before.sdk if change.before.sdk == change.after.sdk else f"{change.before.sdk} -> {change.after.sdk}"
        )
        table.add_row(change.row.id, sdk, change.what, change.was, change.now, ", ".join(change.touches))
    if found:
        _wide().print(table)
    touched = sorted({clause for change in found for clause in change.touches})
    print(f"{len(found)} changes; clauses touched: {', '.join(touched) or 'none'}")
    return 1 if touched else 0


def _split(sdk: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip() for each in sdk for name in each.split(",") if name.strip()))


def _measured(sdks: tuple[str, ...], rows: str) -> Matrix:
    console = Console(stderr=True, highlight=False, markup=False)
    try:
        return asyncio.run(_until_told(sdks, rows, console))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None  # told to stop: it ends as after Ctrl-C
    except (UnknownLanguage, LicenceRefused) as problem:
        raise WrongUsage(f"--sdk: {problem}") from problem
    except (MissingSdk, MissingPostgres) as problem:
        raise MissingPart(str(problem)) from problem
    except MatrixError as problem:
        raise CommandError(str(problem)) from problem


async def _until_told(sdks: tuple[str, ...], rows: str, console: Console) -> Matrix:
    """SIGTERM ends a run as Ctrl-C does: workers, database and folders go with it."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await measure(sdks, select=rows, tell=console.print)


def _read(path: Path) -> Matrix:
    try:
        return file.read(path)
    except file.BadMatrix as problem:
        raise WrongUsage(str(problem)) from problem


def _with_texts_of_now(found: Matrix) -> Matrix:
    """A row's title and facts are no measurement. Rows that are no more keep what they had."""
    known = {row.id: row for row in all_rows()}
    return msgspec.structs.replace(found, rows=tuple(known.get(row.id, row) for row in found.rows))


def _write_pages(found: Matrix, folder: Path) -> None:
    for name, make in PAGES:
        (folder / name).write_text(make(found))


def _show(found: Matrix) -> None:
    table = Table(
        "row", *(column.sdk for column in found.columns), caption="≠s: than the source says; ≠d: the documents"
    )
    for row in found.rows:
        table.add_row(row.id, *(_short(row, column, found.cells[row.id][column.sdk]) for column in found.columns))
    _wide().print(table)


def _wide() -> Console:
    return Console(width=max(_LEAST_COLUMNS, Console().width))


def _short(row: Row, column: Column, cell: Cell) -> str:
    if not cell.measured:
        return "not measured"
    marks = "".join(
        (" ≠s" if against_declared(row, column, cell) else "", " ≠d" if against_documented(row, column, cell) else "")
    )
    return f"{cell.value} {shown_timing(cell)}".strip() + marks
