"""What changed between two measurements, or between two SDK versions of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sdk_matrix.errors import MatrixError
from sdk_matrix.matrix.markdown import shown_timing
from sdk_matrix.matrix.model import Cell, Column, Matrix, Row, agree

__all__ = ["Change", "NothingToCompare", "changes", "pairs"]


class NothingToCompare(MatrixError):
    """The two matrices have no SDK in common; the text lists what each has."""


@dataclass(frozen=True, slots=True)
class Change:
    row: Row
    before: Column
    after: Column
    what: Literal["value", "fields", "timing", "not measured"]
    was: str
    now: str

    @property
    def touches(self) -> tuple[str, ...]:
        """Clauses that rest on the row. A cell that one side did not measure proves no change."""
        return () if self.what == "not measured" else self.row.clauses


def pairs(
    one: Matrix, other: Matrix, before: str | None = None, after: str | None = None
) -> list[tuple[Column, Column]]:
    """The columns to compare: the two that are named; else those of one name; else each language's only one.

    Raises `NothingToCompare`.
    """
    if before is not None or after is not None:
        return [(_column(one, before or after or ""), _column(other, after or before or ""))]
    found = [(a, b) for a in one.columns for b in other.columns if a.sdk == b.sdk]
    if not found:
        found = [
            (a, b) for a in one.columns for b in other.columns
            if a.language == b.language and _only(one, a.language) and _only(other, b.language)
        ]  # fmt: skip
    if not found:
        raise NothingToCompare(
            f"nothing to compare: one has {_names(one)}, the other {_names(other)}; name two with --before and --after"
        )
    return found


def changes(one: Matrix, other: Matrix, compared: Sequence[tuple[Column, Column]]) -> list[Change]:
    """In the order of the rows; rows that one side lacks are not compared."""
    known = {row.id for row in one.rows}
    found = []
    for row in other.rows:
        if row.id not in known:
            continue
        for before, after in compared:
            was, now = one.cells[row.id][before.sdk], other.cells[row.id][after.sdk]
            if (what := _what(was, now)) is not None:
                found.append(Change(row, before, after, what, _text(was, what), _text(now, what)))
    return found


def _what(was: Cell, now: Cell) -> Literal["value", "fields", "timing", "not measured"] | None:
    if not (was.measured and now.measured):
        return None if was.measured == now.measured else "not measured"
    if was.value != now.value:
        return "value"
    if was.notes != now.notes:
        return "fields"
    return None if agree(was, now) else "timing"


def _text(cell: Cell, what: str) -> str:
    if what == "timing":
        return shown_timing(cell) or "no timing"
    return "; ".join(cell.notes) or "as the catalogue has it" if what == "fields" else cell.value


def _column(matrix: Matrix, sdk: str) -> Column:
    for column in matrix.columns:
        if column.sdk == sdk or (column.language == sdk and _only(matrix, sdk)):
            return column
    raise NothingToCompare(f"there is no {sdk!r} among {_names(matrix)}")


def _only(matrix: Matrix, language: str) -> bool:
    return sum(1 for column in matrix.columns if column.language == language) == 1


def _names(matrix: Matrix) -> str:
    return ", ".join(column.sdk for column in matrix.columns)
