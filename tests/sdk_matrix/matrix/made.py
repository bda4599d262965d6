"""A small matrix for tests."""

from __future__ import annotations

from typing import Any

from sdk_matrix.matrix.model import Cell, Column, Frame, Matrix, Row
from sdk_matrix.matrix.timings import timing

ROWS = (
    Row(
        "misbehaviour/malformed_json", "text that is no JSON", "not said", {"typescript": "process exits 1"},
        clauses=("ENV-12",), never="Send nothing that is no JSON.",
    ),
    Row("liveness/ping_interval", "pings", "20 s", {"python": "pings; 20 s"}, expects="pings"),
)  # fmt: skip
FRAME = Frame(0.5, "relay", "text", '</script><b>"', 12)


def column(sdk: str) -> Column:
    language, version = sdk.split("==")
    return Column(sdk, language, version)


def matrix(**sdks: tuple[Cell, Cell]) -> Matrix:
    """``typescript_1``: the cells of version 1 of TypeScript, in the order of `ROWS`."""
    columns = tuple(column(name.replace("_", "==")) for name in sdks)
    cells: dict[str, dict[str, Cell]] = {
        row.id: {each.sdk: found[at] for each, found in zip(columns, sdks.values(), strict=True)}
        for at, row in enumerate(ROWS)
    }
    return Matrix(measured_on="2026-01-02", host="a host", took_s=12.0, columns=columns, rows=ROWS, cells=cells)


def exits(**changes: Any) -> Cell:
    return Cell("process exits 1", frames=(FRAME,), **changes)


def pings(*samples_s: float) -> Cell:
    return Cell("pings", timing=timing(samples_s or (20.0, 20.1)))
