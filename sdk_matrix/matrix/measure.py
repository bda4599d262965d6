"""Measure: build the SDKs, open a bench for each lane of each, run the probes, put the cells together."""

from __future__ import annotations

import asyncio
import os
import platform
import re
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

import msgspec
import psycopg

from chaos.postgres import PostgresServer
from sdk_matrix.errors import MatrixError
from sdk_matrix.languages import Worker, parse
from sdk_matrix.matrix.catalogue import rows
from sdk_matrix.matrix.model import Cell, Column, Matrix, Row
from sdk_matrix.matrix.packages import declared_constants_s, declared_types
from sdk_matrix.matrix.scrub import scrubbed
from sdk_matrix.probes import catalogue as probes
from sdk_matrix.probes.bench import Bench
from sdk_matrix.probes.registry import Findings, Probe
from sdk_matrix.probes.relay import ScriptedRelay

__all__ = ["SDKS", "measure"]

SDKS = ("python==2.31.1", "python==3.2.0", "typescript==4.27.6", "typescript==5.2.11", "go", "java")
"""What is measured unless told otherwise."""
_PROBE_S = 900.0  # one that needs longer hangs


async def measure(
    sdks: Sequence[str], *, select: str = "", at_once: int = 16, tell: Callable[[str], None] = lambda text: None
) -> Matrix:
    """``select``: a part of the ids of the rows wanted; probes that fill none of them are not run.

    ``at_once``: benches that are open at a time. Raises `MatrixError`, and `MissingPostgres`.
    """
    wanted = tuple(row for row in rows() if select in row.id)
    workers = [(sdk, parse(sdk)) for sdk in sdks]
    for _, worker in workers:
        await asyncio.to_thread(worker.build)
        worker.check()
    began_s = time.monotonic()
    gate = asyncio.Semaphore(at_once)
    found = {sdk: Findings() for sdk in sdks}
    versions: dict[str, str] = {}
    launches = asyncio.Semaphore(_cores())
    with tempfile.TemporaryDirectory(prefix="relayproof-matrix-") as folder:
        async with PostgresServer() as server, ScriptedRelay() as relay, asyncio.TaskGroup() as lanes:
            for lane, chosen in _lanes(wanted).items():
                for sdk, worker in workers:
                    place = Path(folder) / re.sub(r"\W", "_", f"{sdk}_{lane}")
                    place.mkdir()
                    opened = _Lane(sdk, worker, lane, chosen, server, relay, place, launches, tell)
                    lanes.create_task(opened.run(gate, found[sdk], versions))
    columns = tuple(
        Column(
            sdk,
            worker.language,
            versions.get(sdk, worker.version),
            declared_types(worker),
            declared_constants_s(worker),
        )
        for sdk, worker in workers
    )
    return Matrix(
        measured_on=datetime.now(UTC).strftime("%Y-%m-%d"),
        host=f"{platform.system()} {platform.machine()}, {_cores()} cores",
        took_s=round(time.monotonic() - began_s, 1),
        columns=tuple(_named(column) for column in columns),
        rows=wanted,
        cells={row.id: {_named(c).sdk: _cell(found[c.sdk], row) for c in columns} for row in wanted},
    )


def _named(column: Column) -> Column:
    """With the version in its name, also where none was asked for."""
    return msgspec.structs.replace(column, sdk=f"{column.language}=={column.version.removeprefix('v')}")


def _lanes(wanted: Sequence[Row]) -> dict[str, list[Probe]]:
    ids = {row.id for row in wanted}
    lanes: dict[str, list[Probe]] = {}
    for each in probes.PROBES:
        if ids & set(each.rows):
            lanes.setdefault(each.lane, []).append(each)
    return lanes


def _cell(findings: Findings, row: Row) -> Cell:
    return scrubbed(findings.cells.get(row.id) or Cell("no probe fills this row", measured=False))


def _cores() -> int:
    return len(os.sched_getaffinity(0))


class _Lane:
    """The probes of one lane on one SDK version, one after another."""

    def __init__(
        self, sdk: str, worker: Worker, lane: str, chosen: Sequence[Probe], server: PostgresServer,
        relay: ScriptedRelay, folder: Path, launches: asyncio.Semaphore, tell: Callable[[str], None],
    ) -> None:  # fmt: skip
        self._sdk, self._worker, self._lane, self._chosen = sdk, worker, lane, chosen
        self._server, self._relay, self._folder, self._launches, self._tell = server, relay, folder, launches, tell

    async def run(self, gate: asyncio.Semaphore, findings: Findings, versions: dict[str, str]) -> None:
        async with gate:
            prefix = re.sub(r"\W", "_", f"m_{self._sdk}_{self._lane}")
            system, evidence = f"{prefix}_system", f"{prefix}_evidence"
            await self._server.create(system)
            await self._server.create(evidence)
            ledger = files("chaos").joinpath("evidence/step_runs.sql").read_text()
            await self._server.execute(evidence, ledger)
            bench = Bench(
                self._worker, self._relay, self._server.url(system), self._server.url(evidence), self._folder,
                f"{prefix}_w", self._launches,
            )  # fmt: skip
            try:
                for each in self._chosen:
                    await self._one(each, bench, findings)
            finally:
                await bench.close()
            versions[self._sdk] = bench.version

    async def _one(self, each: Probe, bench: Bench, findings: Findings) -> None:
        began_s = time.monotonic()
        reason = "the probe left it out"
        try:
            async with asyncio.timeout(_PROBE_S):
                await each.run(bench, findings)
        except TimeoutError:
            reason = f"no end within {_PROBE_S:g} s, or an answer that did not come"
        except (ConnectionError, psycopg.Error) as problem:
            reason = f"{type(problem).__name__}: {problem}"
        except MatrixError as problem:
            reason = str(problem)
        except (LookupError, TypeError, AttributeError, ValueError) as problem:  # one SDK's answer, not the whole run
            reason = f"what came has another form than the probe reads: {problem!r}"
        finally:
            await bench.clear()
        for row in each.rows:
            if row not in findings.cells:
                findings.skip(row, reason)
        self._tell(f"{self._sdk} {each.name}: {time.monotonic() - began_s:.0f} s")
