"""Where two of the three sources disagree: documented, declared, observed."""

from __future__ import annotations

from sdk_matrix.matrix.model import Cell, Column, Row

__all__ = ["against_declared", "against_documented", "declared_value"]


def declared_value(text: str) -> str:
    """What is compared of a declared text: up to its first semicolon, unless that stands in a value of the probes."""
    return text if text in _WITH_SEMICOLON else text.partition(";")[0].strip()


_WITH_SEMICOLON = frozenset(
    {"PENDING; claimed", "answered; the other row is run", "error; the other row is left alone"}
)


def against_declared(row: Row, column: Column, cell: Cell) -> bool:
    """Whether a running SDK did other than its source says."""
    declared = row.declared.get(column.language)
    return cell.measured and declared is not None and declared_value(declared) != cell.value


def against_documented(row: Row, cell: Cell) -> bool:
    """Whether it did other than the documents promise."""
    return cell.measured and bool(row.expects) and row.expects != cell.value
