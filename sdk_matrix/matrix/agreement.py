"""Where two of the three sources disagree: documented, declared, observed."""

from __future__ import annotations

from sdk_matrix.matrix.model import Cell, Column, Row

__all__ = ["against_declared", "against_documented", "declared"]

_WITH_SEMICOLON = frozenset(
    {"PENDING; claimed", "answered; the other row is run", "error; the other row is left alone"}
)


def declared(row: Row, column: Column) -> str | None:
    """What the SDK's own source says, in the words of the probes. None: nothing.

    Of a message, whether the package of this very version names it; else what the language's client was read to do.
    """
    kind = row.title if row.id == f"messages/{row.title}" else None
    if kind is not None and column.declares is not None:
        return "answered" if kind in column.declares else "unknown type"
    return row.declared.get(column.language)


def against_declared(row: Row, column: Column, cell: Cell) -> bool:
    """Whether a running SDK did other than its source says; of a declared text counts what is before a semicolon."""
    said = declared(row, column)
    if said is None or not cell.measured:
        return False
    return (said if said in _WITH_SEMICOLON else said.partition(";")[0].strip()) != cell.value


def against_documented(row: Row, cell: Cell) -> bool:
    """Whether it did other than the documents promise."""
    return cell.measured and bool(row.expects) and row.expects != cell.value
