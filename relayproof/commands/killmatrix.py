"""``relayproof killmatrix``: play the scenarios against relays that are broken on purpose.

A scenario that passes on the reference relay proves little before it has failed on a broken one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

import broken_relays
from broken_relays import Defect
from broken_relays.matrix import Cell, Matrix, worlds_of
from broken_relays.page import page
from evidence import run as evidence_run
from relayproof.errors import WrongUsage
from relayproof.killing import Task, played, register_real_scenarios
from scenarios import catalogue
from scenarios.catalogue import Scenario
from spec import claimed_clauses, clauses

PAGE = Path("docs/kill-matrix.md")
DEFAULT_WORLDS = ("simulated", "wire")
_WORLDS = (*DEFAULT_WORLDS, "real")
_DISTRIBUTIONS = ("relayproof", "simpy", "uvicorn", "websockets")


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
        The simulated world in full; on the wire only what can't be simulated, with its own family's scenarios; with
        real executors only what needs them, with one scenario for each clause.
    defect
        Only defects whose name or clause matches this glob.
    select
        Only scenarios whose id or clause matches one of these globs.
    jobs
        Worker processes in virtual time, and as many for sockets; default: one a core.
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
    if jobs < 0:
        raise WrongUsage(f"--jobs {jobs}: give 1 or more, or 0 for one a core")
    joined = [_earlier(path) for path in earlier]  # before hours of playing, not after
    whole = defect == "*" and not select
    if (to := output or (PAGE if whole else None)) is not None and (to.is_dir() or not to.parent.is_dir()):
        raise WrongUsage(f"--output {to}: give a file in a folder that is there")
    defects = _defects(defect)
    register_real_scenarios()
    chosen = catalogue.select(select)
    plans = [
        (each.name, where, ids)
        for each in defects
        for where in _worlds(each, world, full=full, ci=ci)
        if (ids := tuple(s.id for s in _scenarios(each, where, chosen, full=full, ci=ci)))
    ]
    if not plans and not joined:
        where = ", ".join(sorted({name for each in defects for name in _worlds(each, (), full=True, ci=False)}))
        raise WrongUsage(f"nothing to play for --defect {defect}: its clauses are judged in these worlds: {where}")
    folder = evidence_run.new_folder(results, "killmatrix", latest=False)
    tasks = [Task(name, where, ids, seed, folder) for name, where, ids in plans]
    matrix = _played(tasks, jobs or os.cpu_count() or 1, seed)
    for before in reversed(joined):
        matrix = before.joined(matrix)
    (folder / "matrix.json").write_bytes(msgspec.json.format(msgspec.json.encode(matrix), indent=1) + b"\n")
    if to is not None:
        to.write_text(
            page(matrix, broken_relays.all_defects(), catalogue.all(), claimed_clauses(), clauses()),
            encoding="utf-8",
        )
    return _ending(matrix, folder, whole=whole)


def _earlier(path: Path) -> Matrix:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Matrix)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise WrongUsage(f"--earlier {path}: no matrix.json of an earlier run: {problem}") from problem


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
    possible = asked or (_WORLDS if full or ci else DEFAULT_WORLDS)
    return [name for name in _WORLDS if name in chosen and name in possible]


def _scenarios(defect: Defect, world: str, chosen: Iterable[Scenario], *, full: bool, ci: bool) -> list[Scenario]:
    playable = [each for each in chosen if world in each.worlds]
    if full or (ci and world == "simulated"):
        return playable
    if ci and world == "real":
        return _shortest(playable, defect.clauses)
    families = {clause.partition("-")[0] for clause in defect.clauses}
    return [
        each
        for each in playable
        if each.family in families or not families.isdisjoint(c.partition("-")[0] for c in each.clauses)
    ]


def _shortest(scenarios: Sequence[Scenario], clauses: Iterable[str]) -> list[Scenario]:
    """For each clause the scenario that is over first: real executors take their time."""
    found = {}
    for clause in clauses:
        if able := [each for each in scenarios if clause in each.clauses]:
            best = min(able, key=lambda each: (each.documented_s or 0.0, each.id))
            found[best.id] = best
    return list(found.values())


def _played(tasks: Sequence[Task], jobs: int, seed: int) -> Matrix:
    cells: list[Cell] = []
    for number, (task, found) in enumerate(played(tasks, jobs), start=1):
        cells += found
        broken = broken_relays.find(task.defect).clauses
        killers = sum(any(clause in cell.kills for clause in broken) for cell in found)
        failed = sum(bool(cell.error) for cell in found)
        said = f"{killers} of {len(found)} scenarios kill it" + (f", {failed} harness errors" if failed else "")
        print(f"{number}/{len(tasks)} {task.defect} ({task.world}): {said}", file=sys.stderr, flush=True)
    today = datetime.now(UTC).date().isoformat()
    return Matrix(
        cells=tuple(sorted(cells, key=lambda cell: (cell.defect, cell.scenario, cell.world))),
        played={task.world: today for task in tasks},
        versions={name: version(name) for name in _DISTRIBUTIONS},
        seed=seed,
    )


def _ending(matrix: Matrix, folder: Path, *, whole: bool) -> int:
    defects, scenarios = broken_relays.all_defects(), catalogue.all()
    judged, alive = matrix.judged(defects, scenarios), matrix.alive(defects, scenarios)
    elsewhere = {clause for each in defects for clause in each.clauses} - {clause for _, clause in judged}
    here = [clause for clause in claimed_clauses() if clause.id not in elsewhere]
    harmless = matrix.harmless(here, defects) if whole else []
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
