"""``relayproof chaos findings`` and ``chaos reproduce``: what SDKs themselves get wrong, and how often."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.table import Table

from chaos import findings as measured
from chaos.errors import ChaosError, UnknownExperiment
from chaos.findings import Experiment, Measured
from evidence import run as evidence_run
from relayproof.errors import CommandError, WrongUsage
from relayproof.relays import resolve
from scenarios.errors import UnknownWorld
from sdk_matrix.errors import MatrixError
from sdk_matrix.languages import Worker, parse

_PIPED_WIDTH = 160


def findings(*, record: Path | None = None) -> int:
    """Tell what SDKs get wrong by themselves: k of n tries, with the interval that this supports.

    Parameters
    ----------
    record
        A record that `chaos reproduce` has written. Default: the project's own.
    """
    entries = measured.published() if record is None else _read(record)
    console = Console(width=None if Console().is_terminal else _PIPED_WIDTH)
    console.print(_table(measured.newest(entries)))
    print("experiments, for relayproof chaos reproduce:")
    for each in measured.EXPERIMENTS.values():
        print(f"{each.name:<18} {each.about} ({', '.join(each.languages)})")
    return 0


def reproduce(
    experiment: str,
    /,
    *,
    sdk: str = "python",
    times: int = measured.LEAST_TRIES,
    database: Literal["sqlite", "postgresql"] | None = None,
    relay: str = "builtin:reference",
    seed: int | None = None,
    record: Path | None = None,
    results: Path = Path("results"),
) -> int:
    """Play an experiment n times with one SDK and tell in how many tries it went wrong. Exit code 0, whatever was seen.

    Nothing is said about the relay: an experiment only gives the SDK the occasion.

    Parameters
    ----------
    experiment
        Its name; `relayproof chaos findings` lists them.
    sdk
        python, typescript, go or java; with a version: python==3.2.0.
    times
        Tries, each with fresh processes and a database of its own. A rate needs 10.
    database
        Of the SDK. Default: SQLite for Python where the experiment allows it.
    relay
        The relay in between, as for `relayproof chaos`.
    seed
        Of the work; each try draws from it and its number.
    record
        A file to append the results to.
    results
        Where the run's folder goes: histories, logs, findings.json.
    """
    if times < 1:
        raise WrongUsage(f"--times {times}: give 1 or more; a rate needs {measured.LEAST_TRIES}")
    try:
        chosen = measured.find(experiment)
        worker = _worker(chosen, sdk)
    except UnknownExperiment as problem:
        raise WrongUsage(str(problem)) from problem
    except MatrixError as problem:
        raise WrongUsage(f"--sdk: {problem}") from problem
    store = database or chosen.store(worker.language)
    if store not in chosen.stores or (store == "sqlite" and worker.language != "python"):
        raise WrongUsage(f"--database {store}: {chosen.name} with {worker.language} runs on postgresql")
    known = _read(record) if record is not None else []  # before anything is played
    profile = resolve(relay)
    folder = evidence_run.new_folder(results, f"reproduce-{chosen.name}-{worker.language}")
    try:
        found = asyncio.run(
            measured.reproduce(
                profile, chosen, worker, store=store, times=times, folder=folder, tell=print,
                seed=random.SystemRandom().randrange(2**31) if seed is None else seed,
            )
        )  # fmt: skip
    except (ChaosError, UnknownWorld) as problem:
        raise CommandError(str(problem)) from problem
    measured.write(folder / "findings.json", found)
    if record is not None:
        measured.write(record, [*known, *found])
    Console(width=None if Console().is_terminal else _PIPED_WIDTH).print(_table(found))
    for each in found:
        if each.proof:
            print(f"\n{each.fault}, as it went in one try:")
            print("\n".join(f"  {line}" for line in each.proof))
    if any(each.tries < measured.LEAST_TRIES for each in found):
        print(f"fewer than {measured.LEAST_TRIES} tries with an occasion: no reproduction rate yet")
    print(f"results {folder}")
    return 0


def _worker(experiment: Experiment, sdk: str) -> Worker:
    worker = parse(sdk)
    if worker.language not in experiment.languages:
        raise WrongUsage(f"--sdk {sdk}: {experiment.name} is for {', '.join(experiment.languages)}")
    worker.build()
    worker.check()
    return worker


def _read(path: Path) -> list[Measured]:
    try:
        return measured.read(path)
    except (OSError, ChaosError) as problem:
        raise WrongUsage(f"--record {path}: {problem}") from problem


def _table(entries: list[Measured]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("finding", "sdk", "database", "tries", "rate, 95 %", "workflows", "day", "experiment"):
        table.add_column(name, justify="right" if name in ("tries", "rate, 95 %", "workflows") else "left")
    for each in entries:
        low, high = each.rate
        table.add_row(
            each.fault, f"{each.language} {each.sdk}", each.database, f"{each.seen} of {each.tries}",
            f"{100 * low:.0f} to {100 * high:.0f} %", f"{each.workflows} of {each.exposed}", each.day, each.experiment,
        )  # fmt: skip
    return table
