"""Where two of the three sources disagree: documented, declared, observed."""

from __future__ import annotations

from sdk_matrix.matrix.model import Cell, Column, Row
from sdk_matrix.matrix.timings import contains

__all__ = ["against_declared", "against_documented", "declared", "declared_s"]

_WITH_SEMICOLON = frozenset(
    {"PENDING; claimed", "answered; the other row is run", "error; the other row is left alone"}
)


def declared(row: Row, column: Column) -> str | None:
    """What the SDK's own source says, in the words of the probes. None: nothing."""
    said, seconds_s = _behaviour(row, column), declared_s(row, column)
    if seconds_s is None:
        return said
    return f"{said}; {seconds_s:g} s by its constants" if said else f"{seconds_s:g} s by its constants"


def declared_s(row: Row, column: Column) -> float | None:
    """What the constants of this very version's package make of the row's timing."""
    parts_s = [column.constants_s.get(name) for name in row.constants]
    known_s = [part_s for part_s in parts_s if part_s is not None]
    return sum(known_s) if known_s and len(known_s) == len(parts_s) else None


def against_declared(row: Row, column: Column, cell: Cell) -> bool:
    """Whether a running SDK did other than its source says; of a declared text counts what is before a semicolon."""
    if not cell.measured:
        return False
    said, seconds_s = _behaviour(row, column), declared_s(row, column)
    if said is not None and (said if said in _WITH_SEMICOLON else said.partition(";")[0].strip()) != cell.value:
        return True
    return seconds_s is not None and cell.timing is not None and not contains(cell.timing, seconds_s)


def against_documented(row: Row, column: Column, cell: Cell) -> bool:
    """Whether it did other than the documents promise."""
    if not cell.measured:
        return False
    if row.expects and row.expects != cell.value:
        return True
    promised_s = row.documented_s.get(column.language, row.documented_s.get("any"))
    return promised_s is not None and cell.timing is not None and not contains(cell.timing, promised_s)


def _behaviour(row: Row, column: Column) -> str | None:
    """Of a message, whether this very version's package names it; else what the language's client was read to do."""
    kind = row.title if row.id == f"messages/{row.title}" else None
    if kind is not None and column.declares is not None:
        return "answered" if kind in column.declares else "unknown type"
    return row.declared.get(column.language)
