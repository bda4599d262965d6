"""``relayproof killmatrix``: play the scenarios against relays that are broken on purpose.

A scenario that passes on the reference relay proves little before it has failed on a broken one.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

import broken_relays
from broken_relays import NOT_BROKEN, Defect
from broken_relays.matrix import Cell, Matrix, cell_of, worlds_of
from broken_relays.page import page
from conductor.timing import DOCUMENTED
from evidence import run as evidence_run
from evidence.judge import judge
from relayproof.errors import WrongUsage
from scenarios import catalogue, runner, worlds
from scenarios.catalogue import Scenario
from scenarios.errors import UnknownWorld
from scenarios.profile_loading import resolve
from scenarios.runner import Outcome, RunOptions
from scenarios.worlds import SessionOptions
from simulator.world import SimulatedSession
from spec import claimed_clauses, clauses

PAGE = Path("docs/kill-matrix.md")
AT_ONCE = 16
"""Scenarios beside each other on the wire, for each broken relay: more make the observer late on two cores."""
DEFAULT_WORLDS = ("simulated", "wire")
_WORLDS = (*DEFAULT_WORLDS, "real")
_DISTRIBUTIONS = ("relayproof", "simpy", "uvicorn", "websockets")


@dataclass(frozen=True)
class Task:
    """One broken relay in one world, with the scenarios to play there. Travels to a worker process."""

    defect: str
    world: str
    scenarios: tuple[str, ...]
    seed: int
    results: Path


def killmatrix(
    *,
    world: Annotated[tuple[str, ...], Parameter(consume_multiple=True, negative="", show_default=False)] = (),
    full: bool = False,
    ci: bool = False,
    defect: str = "*",
    select: Annotated[tuple[str, ...], Parameter(consume_multiple=True, negative="", show_default=False)] = (),
    jobs: int = 0,
    seed: int = 0,
    results: Path = Path("results"),
    earlier: Annotated[tuple[Path, ...], Parameter(consume_multiple=True, negative="", show_default=False)] = (),
    output: Path | None = None,
) -> int:
    """Play scenarios against broken relays. Exit code 0 when every defect is killed, 1 when not.

    A scenario that the harness itself failed in kills nothing, and is listed.

    By default each defect meets the scenarios of its own clauses' families: in virtual time where they run there, on
    the wire where they don't.

    Parameters
    ----------
    world
        Only these: simulated, wire, real.
    full
        Each defect meets every scenario of the world.
    ci
        The simulated world in full; on the wire only what can't be simulated, with its own family's scenarios.
    defect
        Only defects whose name or clause matches this glob.
    select
        Only scenarios whose id or clause matches one of these globs.
    jobs
        Worker processes; default: one a core.
    seed
        Of everything random.
    results
        Where the run's folder goes; it holds matrix.json.
    earlier
        Files matrix.json of earlier runs, oldest first: this run is added to them.
    output
        The page to write. Default: docs/kill-matrix.md for a run without defect and select, else none.
    """
    for name in world:
        if name not in _WORLDS:
            raise WrongUsage(f"--world {name}: give {', '.join(_WORLDS)}")
    defects = _defects(defect)
    _register_real_scenarios()
    folder = evidence_run.new_folder(results, "killmatrix")
    chosen = catalogue.select(select)
    tasks = [
        Task(each.name, where, ids, seed, folder)
        for each in defects
        for where in _worlds(each, world, full=full, ci=ci)
        if (ids := tuple(s.id for s in _scenarios(each, where, chosen, full=full or (ci and where == "simulated"))))
    ]
    matrix = _played(tasks, jobs or os.cpu_count() or 1, seed)
    for path in reversed(earlier):
        matrix = msgspec.json.decode(path.read_bytes(), type=Matrix).joined(matrix)
    (folder / "matrix.json").write_bytes(msgspec.json.format(msgspec.json.encode(matrix), indent=1) + b"\n")
    whole = defect == "*" and not select
    if (to := output or (PAGE if whole else None)) is not None:
        to.write_text(
            page(matrix, broken_relays.all_defects(), catalogue.all(), claimed_clauses(), clauses(), NOT_BROKEN),
            encoding="utf-8",
        )
    return _ending(matrix, folder, whole=whole)


def _register_real_scenarios() -> None:
    """Those of real executors register with their world, which needs the Python SDK."""
    with suppress(UnknownWorld):
        worlds.factory("real")


def _defects(pattern: str) -> list[Defect]:
    try:
        return broken_relays.select(pattern)
    except broken_relays.DefectError as problem:
        raise WrongUsage(str(problem)) from problem


def _worlds(defect: Defect, asked: Sequence[str], *, full: bool, ci: bool) -> list[str]:
    """Where a defect is played. Without ``full``: for each of its clauses, in the first world that can show it."""
    chosen = {"simulated"} if ci and defect.where == "core" else set()
    for clause in defect.clauses:
        able = [name for name in _WORLDS if name in worlds_of(defect, clause, catalogue.all())]
        chosen.update(able if full else able[:1])
    return [name for name in _WORLDS if name in chosen and name in (asked or (_WORLDS if full else DEFAULT_WORLDS))]


def _scenarios(defect: Defect, world: str, chosen: Iterable[Scenario], *, full: bool) -> list[Scenario]:
    families = {clause.partition("-")[0] for clause in defect.clauses}
    return [
        each
        for each in chosen
        if world in each.worlds
        and (full or each.family in families or not families.isdisjoint(c.partition("-")[0] for c in each.clauses))
    ]


def _played(tasks: Sequence[Task], jobs: int, seed: int) -> Matrix:
    """Each task in a worker process; what takes long begins first."""
    order = sorted(tasks, key=lambda task: (task.world == "simulated", -len(task.scenarios), task.defect))
    cells: list[Cell] = []
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        running: dict[Future[list[Cell]], Task] = {pool.submit(_play, task): task for task in order}
        for number, done in enumerate(as_completed(running), start=1):
            task = running[done]
            cells += (found := done.result())
            killers = sum(any(clause in cell.kills for clause in _clauses_of(task)) for cell in found)
            failed = sum(bool(cell.error) for cell in found)
            said = f"{killers} of {len(found)} scenarios kill it" + (f", {failed} harness errors" if failed else "")
            print(f"{number}/{len(order)} {task.defect} ({task.world}): {said}", file=sys.stderr, flush=True)
    today = datetime.now(UTC).date().isoformat()
    return Matrix(
        cells=tuple(sorted(cells, key=lambda cell: (cell.defect, cell.scenario, cell.world))),
        played={task.world: today for task in tasks},
        versions={name: version(name) for name in _DISTRIBUTIONS},
        seed=seed,
    )


def _clauses_of(task: Task) -> tuple[str, ...]:
    return broken_relays.find(task.defect).clauses


def _play(task: Task) -> list[Cell]:
    """In a worker process."""
    _register_real_scenarios()
    return _simulated(task) if task.world == "simulated" else _real_sockets(task)


def _simulated(task: Task) -> list[Cell]:
    options = SessionOptions(
        profile=resolve("builtin:reference"), timing=DOCUMENTED, seed=task.seed, folder=task.results
    )
    session = SimulatedSession(options, broken_relays.find(task.defect).core)
    cells = []
    for id in task.scenarios:
        try:
            history = session.simulate(catalogue.find(id)).history()
        except Exception as problem:  # noqa: BLE001 - a defect may break its relay, or the world around it, in any way
            cells.append(Cell(defect=task.defect, scenario=id, world=task.world, error=repr(problem)))
        else:
            cells.append(cell_of(task.defect, judge(history, clauses()), clauses()))
    return cells


def _real_sockets(task: Task) -> list[Cell]:
    options = RunOptions(
        profile=resolve(f"builtin:broken/{task.defect}"),
        pace="fast",
        worlds=(task.world,),
        results=task.results,
        select=task.scenarios,
        seed=task.seed,
        jobs=AT_ONCE,
        command=shlex.join(["relayproof", *sys.argv[1:]]),
    )
    outcome = asyncio.run(_until_told(options))
    return [cell_of(task.defect, result, clauses()) for result in outcome.result.scenarios]


async def _until_told(options: RunOptions) -> Outcome:
    """SIGTERM ends a worker too, but not before its relays."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    outcome = await runner.run(options, _Silent())
    if outcome.interrupted:
        os._exit(128 + signal.SIGTERM)  # the pool would catch a SystemExit and wait for its next task
    return outcome


class _Silent:
    """See `scenarios.runner.Progress`."""

    def planned(self, world: str, scenarios: Sequence[Scenario]) -> None: ...

    def began(self, world: str, scenario: Scenario) -> None: ...

    def ended(self, world: str, scenario: Scenario, seconds: float, error: str) -> None: ...


def _ending(matrix: Matrix, folder: Path, *, whole: bool) -> int:
    defects, scenarios = broken_relays.all_defects(), catalogue.all()
    judged, alive = matrix.judged(defects, scenarios), matrix.alive(defects, scenarios)
    elsewhere = {clause for each in defects for clause in each.clauses} - {clause for _, clause in judged}
    here = [clause for clause in claimed_clauses() if clause.id not in elsewhere]
    harmless = matrix.harmless(here, defects, NOT_BROKEN) if whole else []
    for name, clause in alive:
        print(f"ALIVE {name}: no check of {clause} failed")
    for clause in harmless:
        print(f"HARMLESS {clause}: its checks killed no defect that breaks it")
    for cell in matrix.errors():
        print(f"HARNESS-ERROR {cell.defect} in {cell.scenario} ({cell.world}): {cell.error.strip().splitlines()[-1]}")
    if whole:
        print(f"{len(matrix.questioned(scenarios, clauses()))} scenarios questioned: they failed on no broken relay")
    played, living = {name for name, _ in judged}, {name for name, _ in alive}
    print(f"{len(played - living)} of {len(played)} defects killed · {folder}")
    return 1 if alive or harmless or not played else 0
