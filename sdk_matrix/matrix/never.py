"""The page for authors of relays: what harms an SDK, made from the cells that say so."""

from __future__ import annotations

from sdk_matrix.matrix.model import Matrix, Row

__all__ = ["harms", "never"]

_SECTIONS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("It ends the process", "The whole executor is gone, with all work in hand.", ("process exits",)),
    (
        "It costs the connection",
        "The executor closes, and dials again. Requests under way lose their answers.",
        ("never dials", "closes", "drops TCP", "hangs", "echoes the code", "ends without a close frame"),
    ),
    ("It gets no answer", "The request is lost without a word: only a deadline tells.", ("no answer",)),
    ("It is refused", "An error in answer; nothing else is harmed.", ("error", "unknown type")),
    ("It does something else than was meant", "No error tells of it.", ("",)),
)


def never(matrix: Matrix) -> str:
    """The page docs/what-relays-must-never-send.md."""
    lines = [
        "# What relays must never send",
        "",
        "Each sentence rests on what SDKs did in the [SDK matrix](sdk-matrix.md), whose data this page is generated",
        f"from (measured on {matrix.measured_on}). A sentence stands under the worst that it leads to.",
    ]
    chosen = [(row, found) for row in matrix.rows if row.never and (found := harms(matrix, row))]
    for at, (title, text, _) in enumerate(_SECTIONS):
        mine = [(row, found) for row, found in chosen if min(map(_section, found.values())) == at]
        if mine:
            lines += ["", f"## {title}", "", text, ""]
            lines += [_line(row, found) for row, found in mine]
    return "\n".join(lines) + "\n"


def harms(matrix: Matrix, row: Row) -> dict[str, str]:
    """By SDK, what it did where that harms."""
    found: dict[str, str] = {}
    for column in matrix.columns:
        cell = matrix.cells[row.id][column.sdk]
        if cell.measured and any(cell.value.startswith(harm) for harm in row.harm):
            taken = (
                f", next dial after {cell.timing.median_s:.1f} s" if cell.timing and row.group == "misbehaviour" else ""
            )
            found[f"{column.language} {column.version}"] = cell.value + taken
    return found


def _section(value: str) -> int:
    return next(at for at, (*_, starts) in enumerate(_SECTIONS) if value.startswith(starts))


def _line(row: Row, found: dict[str, str]) -> str:
    by_value: dict[str, list[str]] = {}
    for sdk, value in found.items():
        by_value.setdefault(value, []).append(sdk)
    told = "; ".join(f"{', '.join(sdks)}: {value}" for value, sdks in by_value.items())
    return f"- **{row.never}** ({row.title}) {told}."
