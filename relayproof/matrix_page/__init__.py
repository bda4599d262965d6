"""The matrix as one self-contained HTML page: filters, and behind every cell the frames that prove it."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

import jinja2
import msgspec

from sdk_matrix.matrix.agreement import against_declared, against_documented, declared
from sdk_matrix.matrix.markdown import shown_timing
from sdk_matrix.matrix.model import GROUPS, Cell, Column, Matrix, Row

__all__ = ["page"]


def page(matrix: Matrix) -> str:
    """The whole page, without anything to load."""
    data = {
        "columns": [{"sdk": column.sdk, "language": column.language} for column in matrix.columns],
        "rows": [_row(matrix, row) for row in matrix.rows],
    }
    return _template().render(
        matrix=matrix,
        groups=[group for group in GROUPS if any(row.group == group for row in matrix.rows)],
        unmeasured=len(matrix.unmeasured()),
        # In a script element only this can end it early, or open a comment (HTML, 13.2.5.4).
        data=msgspec.json.encode(data).decode().replace("<", "\\u003c"),
        css=files("relayproof.report").joinpath("page.css").read_text(),
        own_css=files(__package__).joinpath("matrix.css").read_text(),
        script=files(__package__).joinpath("matrix.js").read_text(),
        tool=f"relayproof {version('relayproof')}",
    )


def _row(matrix: Matrix, row: Row) -> dict[str, Any]:
    return {
        "id": row.id,
        "group": row.group,
        "title": row.title,
        "documented": row.documented,
        "expects": row.expects,
        "clauses": row.clauses,
        "never": row.never,
        "cells": [_cell(row, column, matrix.cells[row.id][column.sdk]) for column in matrix.columns],
    }


def _cell(row: Row, column: Column, cell: Cell) -> dict[str, Any]:
    return {
        "value": cell.value,
        "measured": cell.measured,
        "timing": shown_timing(cell),
        "samples": cell.timing.samples if cell.timing else 0,
        "notes": cell.notes,
        "detail": cell.detail,
        "declared": declared(row, column),
        "source": against_declared(row, column, cell),
        "documents": against_documented(row, column, cell),
        "frames": cell.frames,
    }


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.from_string(files(__package__).joinpath("page.html.j2").read_text())
