"""Plays scenarios on broken relays, in worker processes: what `relayproof killmatrix` spends its time on."""

from __future__ import annotations

import asyncio
import gc
import os
import shlex
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from pathlib import Path

import broken_relays
from broken_relays.matrix import Cell, cell_of
from conductor.timing import DOCUMENTED
from evidence.judge import judge
from scenarios import catalogue, runner, worlds
from scenarios.catalogue import Scenario
from scenarios.errors import UnknownWorld
from scenarios.profile_loading import resolve
from scenarios.runner import Outcome, RunOptions
from scenarios.targets.lifetime import die_with_parent
from scenarios.worlds import SessionOptions
from simulator.world import SimulatedSession
from spec import clauses

__all__ = ["Task", "played", "register_real_scenarios"]

AT_ONCE = 16
"""Scenarios beside each other on the wire, for each broken relay: more make the observer late on two cores."""
_POLITE = 5
"""Niceness of workers in virtual time: those with sockets run beside them, and wait for real deadlines."""


@dataclass(frozen=True)
class Task:
    """One broken relay in one world, with the scenarios to play there. Travels to a worker process."""

    defect: str
    world: str
    scenarios: tuple[str, ...]
    seed: int
    results: Path


def register_real_scenarios() -> None:
    """Those of real executors register with their world, which needs the Python SDK."""
    with suppress(UnknownWorld):
        worlds.factory("real")


def played(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[Task, list[Cell]]]:
    """Each task with its cells, as they end; what takes long begins first.

    ``jobs`` processes play in virtual time; as many more play what mostly waits for sockets. Ctrl-C, and SIGTERM
    to the command line, end them with their relays, and raise `KeyboardInterrupt` here; they outlive this process in no
    case.
    """
    order = sorted(tasks, key=lambda task: (task.world != "real", -len(task.scenarios), task.defect))
    context = get_context("spawn")
    with (
        ProcessPoolExecutor(jobs, mp_context=context, initializer=_in_the_background) as virtual,
        ProcessPoolExecutor(jobs, mp_context=context, initializer=_not_alone) as waiting,
    ):
        try:
            running: dict[Future[list[Cell]], Task] = {
                (virtual if task.world == "simulated" else waiting).submit(_play, task): task for task in order
            }
            for done in as_completed(running):
                yield running[done], done.result()
        except BaseException:  # without this, all that was submitted would be played first
            for pool in (virtual, waiting):
                pool.shutdown(wait=False, cancel_futures=True)
            for worker in active_children():
                worker.terminate()
            raise


def _not_alone() -> None:
    """In a worker: it ends with the process that started it, which also is the one to hear Ctrl-C."""
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _in_the_background() -> None:
    _not_alone()
    os.nice(_POLITE)
    register_real_scenarios()
    catalogue.all()
    gc.freeze()  # what was imported stays: the collector need not look at it thousands of times


def _play(task: Task) -> list[Cell]:
    """In a worker process."""
    register_real_scenarios()
    return _simulated(task) if task.world == "simulated" else _real_sockets(task)


def _simulated(task: Task) -> list[Cell]:
    options = SessionOptions(
        profile=resolve("builtin:reference"), timing=DOCUMENTED, seed=task.seed, folder=task.results
    )
    session = SimulatedSession(options, broken_relays.find(task.defect).core)
    contract, known = clauses(), {each.id: each for each in catalogue.all()}
    cells = []
    for id in task.scenarios:
        try:
            history = session.simulate(known[id]).history()
        except Exception as problem:  # noqa: BLE001 - a defect may break its relay, or the world around it, in any way
            cells.append(Cell(defect=task.defect, scenario=id, world=task.world, error=repr(problem)))
        else:
            cells.append(cell_of(task.defect, judge(history, contract), contract))
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
