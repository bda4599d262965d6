"""What was covered, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from simulator.coverage.cells import ALL, MARKS, REACHABLE, Cell, Row


def missing(counts: Counter[Cell]) -> list[Cell]:
    """Cells of the reachable table that nothing came to."""
    return [cell for cell in ALL if not counts[cell]]


def unexpected(counts: Counter[Cell]) -> list[Cell]:
    """Cells that something came to and that the table calls unreachable."""
    known = set(ALL)
    return sorted(cell for cell, count in counts.items() if count and cell not in known)


def too_rare(counts: Counter[Cell]) -> list[str]:
    """Marks that were reached less often than they must be."""
    reached = ((mark, sum(counts[cell] for cell in mark.cells)) for mark in MARKS)
    return [f"{mark.name}: {count} of {mark.minimum}" for mark, count in reached if count < mark.minimum]


def table(counts: Counter[Cell]) -> Iterator[str]:
    """Columns down, rows across; "." is what can't happen, 0 what can and did not."""
    rows = list(Row)
    letters = [chr(ord("a") + place) for place in range(len(rows))]
    yield from (f"{letter}  {row.value}" for letter, row in zip(letters, rows, strict=True))
    yield f"{'':48}" + "".join(f"{letter:>9}" for letter in letters)
    for column, possible in REACHABLE.items():
        shown = (f"{counts[Cell(row, column)]}" if row in possible else "." for row in rows)
        yield f"{column.value:48}" + "".join(f"{each:>9}" for each in shown)
    reached = len(ALL) - len(missing(counts))
    yield f"{reached} of {len(ALL)} reachable cells reached; {len(rows) * len(REACHABLE) - len(ALL)} can't be"
    for mark in MARKS:
        yield f"{sum(counts[cell] for cell in mark.cells):>9} times (at least {mark.minimum}): {mark.name}"
