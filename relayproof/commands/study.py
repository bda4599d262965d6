"""``relayproof study``: questions about timing, answered in virtual time."""

from __future__ import annotations

import math
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table as RichTable

from evidence import run as evidence_run
from relayproof.errors import MissingPart, WrongUsage

_NEEDED = "studies need the extra: pip install 'relayproof[studies]'"


def study(
    name: str = "",
    /,
    *,
    ask: str = "",
    scale: float = 1.0,
    seed: int = 0,
    jobs: int = 0,
    results: Path = Path("results"),
) -> int:
    """Answer a question about timing with tables, charts and intervals. Without a name: list the questions.

    Parameters
    ----------
    name
        false-deaths, detection, windows, storm or mass-death.
    ask
        Your own point or sweep, such as "grace=30 ping_interval=10,20 loss=0%..4%/2%". Without a name: false-deaths
        and detection at that point.
    scale
        Multiplies the number of runs, and with it the time: 1 answers within minutes.
    seed
        Of everything random.
    jobs
        Processes; default: one a core.
    results
        The study's folder goes below it: index.html, answer.json, CSV, SVG and PNG.
    """
    try:
        from simulator.studies.grid import GridError
        from simulator.studies.study import STUDIES, find

        find("windows")
    except ImportError as missing:
        raise MissingPart(f"{_NEEDED} ({missing.name} is not there)") from missing
    if not 0 < scale < math.inf:
        raise WrongUsage(f"--scale {scale}: give a number above zero")
    if jobs < 0:
        raise WrongUsage(f"--jobs {jobs}: give 1 or more, or 0 for one a core")
    try:
        if not name and not ask:
            _list([find(each) for each in STUDIES])
            return 0
        for each in (name,) if name else ("false-deaths", "detection"):
            _study(each, ask, scale, seed, jobs or os.cpu_count() or 1, results)
    except GridError as problem:
        raise WrongUsage(str(problem)) from problem
    return 0


def _study(name: str, ask: str, scale: float, seed: int, jobs: int, results: Path) -> None:
    from relayproof.studies.page import write
    from simulator.studies.study import Effort, find

    chosen = find(name)
    tasks = chosen.tasks(ask, Effort(scale, seed))
    console = Console(stderr=True)
    found = _played(name, tasks, jobs, console)
    answer = chosen.answer(tasks, found)
    command = shlex.join(["relayproof", *sys.argv[1:]])
    folder = evidence_run.new_folder(results, f"study-{name}", latest=False)
    (folder / evidence_run.HISTORIES).rmdir()  # a study has none
    page = write(answer, folder, command)
    _show(answer, Console(width=None if sys.stdout.isatty() else 160))
    console.print(f"page: {page}", highlight=False)


def _played(name: str, tasks: list[dict[str, Any]], jobs: int, console: Console) -> list[dict[str, Any]]:
    """The results in the order of the tasks, whoever computed them."""
    title = f"{name}: {len(tasks)} runs"
    if jobs == 1:
        return [_run(name, task) for task in track(tasks, title, console=console, transient=True)]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        try:
            futures = [pool.submit(_run, name, task) for task in tasks]
            return [each.result() for each in track(futures, title, console=console, transient=True)]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _run(name: str, task: Mapping[str, Any]) -> dict[str, Any]:
    from simulator.studies.study import find

    return find(name).run(task)


def _list(studies: Sequence[Any]) -> None:
    table = RichTable("study", "question", "parameters of --ask")
    for each in studies:
        table.add_row(each.name, each.question, ", ".join(each.parameters))
    Console().print(table)


def _show(answer: Any, console: Console) -> None:
    from simulator.studies.estimates import Estimate

    console.print(answer.question, style="bold", highlight=False)
    for sentence in answer.summary:
        console.print(sentence, highlight=False)
    for each in answer.tables:
        table = RichTable(*each.columns, title=each.title, caption=each.note)
        for row in each.rows:
            table.add_row(*(cell.text() if isinstance(cell, Estimate) else str(cell) for cell in row))
        console.print(table)
