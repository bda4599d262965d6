"""A measurement from its beginning to its matrix, with the real Python SDK."""

from __future__ import annotations

import asyncio

import pytest

from chaos.errors import MissingPostgres
from sdk_matrix.errors import MissingSdk
from sdk_matrix.matrix.measure import measure
from sdk_matrix.probes.catalogue import PROBES

pytestmark = pytest.mark.real


def test_the_rows_of_one_probe_on_one_sdk() -> None:
    said: list[str] = []
    try:
        found = asyncio.run(measure(("python",), select="shutdown/killed", tell=said.append))
    except (MissingSdk, MissingPostgres) as problem:
        pytest.skip(str(problem))
    (row,), (column,) = found.rows, found.columns
    cell = found.cells[row.id][column.sdk]
    assert row.id == "shutdown/killed"
    assert column.sdk == f"python=={column.version}"
    assert (cell.value, cell.measured) == ("drops TCP", True)
    assert cell.frames[-1].kind == "end"
    assert column.declares is not None and "recovery" in column.declares
    assert len(said) == 1


def test_a_probe_that_fails_leaves_its_rows_unmeasured_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = next(each for each in PROBES if "shutdown/killed" in each.rows)

    async def failing(bench: object, findings: object) -> None:
        raise ConnectionResetError("planned")

    monkeypatch.setattr("sdk_matrix.probes.catalogue.PROBES", [type(chosen)("x", chosen.rows, "x", failing)])
    try:
        found = asyncio.run(measure(("python",), select="shutdown/killed"))
    except (MissingSdk, MissingPostgres) as problem:
        pytest.skip(str(problem))
    assert found.unmeasured() == [("shutdown/killed", found.columns[0].sdk, "ConnectionResetError: planned")]
