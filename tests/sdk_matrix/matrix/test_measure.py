"""A measurement from its beginning to its matrix, with the real Python SDK."""

from __future__ import annotations

import asyncio

import pytest

from chaos.errors import MissingPostgres
from sdk_matrix.errors import MissingSdk
from sdk_matrix.matrix.measure import measure
from sdk_matrix.probes.bench import ProbeFailed
from sdk_matrix.probes.catalogue import PROBES

pytestmark = pytest.mark.real


def test_the_rows_of_one_probe_on_one_sdk() -> None:
    said: list[str] = []
    try:
        found = asyncio.run(measure(("python",), select="misbehaviour/fragments", tell=said.append))
    except (MissingSdk, MissingPostgres) as problem:
        pytest.skip(str(problem))
    (row,), (column,) = found.rows, found.columns
    cell = found.cells[row.id][column.sdk]
    assert row.id == "misbehaviour/fragments"
    assert column.sdk == f"python=={column.version}"
    assert (cell.value, cell.measured) == ("answered", True)
    assert [frame.kind for frame in cell.frames] == ["text", "continuation", "continuation", "text"]
    assert column.declares is not None and "recovery" in column.declares
    assert len(said) == 1


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (ConnectionResetError("planned"), "ConnectionResetError: planned"),
        (ProbeFailed("no such luck"), "no such luck"),
        (KeyError("output"), "what came has another form than the probe reads: KeyError('output')"),
    ],
)
def test_a_probe_that_fails_leaves_its_rows_unmeasured_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, problem: Exception, reason: str
) -> None:
    chosen = next(each for each in PROBES if "shutdown/killed" in each.rows)

    async def failing(bench: object, findings: object) -> None:
        raise problem

    monkeypatch.setattr("sdk_matrix.probes.catalogue.PROBES", [type(chosen)("x", chosen.rows, "x", failing)])
    try:
        found = asyncio.run(measure(("python",), select="shutdown/killed"))
    except (MissingSdk, MissingPostgres) as missing:
        pytest.skip(str(missing))
    assert found.unmeasured() == [("shutdown/killed", found.columns[0].sdk, reason)]
