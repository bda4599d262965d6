"""``relayproof explore``: every state of the relay's core within small bounds, and what must hold in each."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter
from rich.console import Console

import broken_relays
from reference_relay.core import Core
from relayproof.errors import CommandError, WrongUsage
from simulator.coverage import report
from simulator.coverage.cells import Cell
from simulator.coverage.observed import observed
from simulator.explore import telling
from simulator.explore.errors import ExploreError
from simulator.explore.model import Model
from simulator.explore.models import MODELS, RECOVERY, find
from simulator.explore.search import Explored, breadth_first

PASSED, FAILED = 0, 1
_PLAIN_EVERY_S = 10.0
LONG = (RECOVERY.name,)
"""Models that take minutes: explored when they are named, or with --all."""


def explore(
    *models: str,
    relay: str = "reference",
    all: Annotated[bool, Parameter(negative="")] = False,
    states: int = 1_000_000,
    depth: int = 1_000,
    coverage: Annotated[bool, Parameter(negative="")] = False,
    json: Path | None = None,
) -> int:
    """Explore the core breadth-first: each state, each thing that may happen in it, each invariant at every step.

    Exit code 0: every invariant holds in every state; 1: one does not, and the shortest way there is printed.

    Parameters
    ----------
    models
        Which bounds; without any, all that take less than a minute.
    relay
        "reference", or the name of a broken relay whose defect lies in the core.
    all
        All models, also those that take minutes.
    states
        Give up beyond so many states.
    depth
        Give up beyond so many steps from the start.
    coverage
        Count which cells of state x event x phase were reached in all of it, and print the table; a cell that it calls
        impossible fails, and with all models one that was missed fails too.
    json
        Write the figures to this file too.
    """
    for name, value in (("--states", states), ("--depth", depth)):
        if value < 1:
            raise WrongUsage(f"{name} {value}: give 1 or more")
    console = Console(highlight=False)
    counts: Counter[Cell] = Counter()
    own = _core(relay)
    core = observed(own, counts) if coverage else own
    results = []
    try:
        chosen = [find(name) for name in models] or [m for m in MODELS.values() if all or m.name not in LONG]
    except ExploreError as unknown:
        raise WrongUsage(str(unknown)) from unknown
    for model in chosen:
        started = time.process_time()
        with console.status(f"{model.name} ...") as status:
            found = breadth_first(
                model, core, most_states=states, most_depth=depth, tell=_progress(model, console, status.update)
            )
        seconds = time.process_time() - started
        results.append(found)
        console.print(_line(found, seconds), soft_wrap=True)
        if found.counterexample is not None:
            for line in telling.tell(model, found.counterexample, own):
                console.print(line, soft_wrap=True, markup=False)
    if json is not None:
        try:
            json.write_bytes(msgspec.json.format(msgspec.json.encode(results)) + b"\n")
        except OSError as problem:
            raise CommandError(f"{json}: {problem.strerror}; give a file that can be written") from problem
    wrong = coverage and _covered(counts, console, whole=len(chosen) == len(MODELS))
    return FAILED if wrong or any(found.counterexample is not None for found in results) else PASSED


def _core(relay: str) -> type[Core]:
    if relay == "reference":
        return Core
    try:
        defect = broken_relays.find(relay)
    except broken_relays.DefectError as unknown:
        raise WrongUsage(str(unknown)) from unknown
    if defect.where != "core":
        raise WrongUsage(f"{relay!r} is a defect of the server; only those of the core can be explored")
    return defect.core


def _covered(counts: Counter[Cell], console: Console, *, whole: bool) -> bool:
    """Print the table and what is wrong with it; whether anything is."""
    for line in report.table(counts):
        console.print(line, soft_wrap=True, markup=False)
    wrong = [f"BROKEN  reached, and called impossible: {_cell(each)}" for each in report.unexpected(counts)]
    if whole:
        wrong += [f"BROKEN  never reached: {_cell(each)}" for each in report.missing(counts)]
        wrong += [f"BROKEN  too rare: {each}" for each in report.too_rare(counts)]
    for line in wrong:
        console.print(line, soft_wrap=True, markup=False)
    return bool(wrong)


def _cell(cell: Cell) -> str:
    return f"{cell.column.value} in {cell.row.value}"


def _progress(model: Model, console: Console, update: Callable[[str], None]) -> Callable[[int, int, int], None]:
    """On a terminal all the time, elsewhere a line now and then."""
    said_s = time.monotonic()

    def tell(depth: int, states: int, transitions: int) -> None:
        nonlocal said_s
        text = f"{model.name}: depth {depth}, {states:,} states, {transitions:,} transitions"
        if console.is_terminal:
            update(text)
        elif time.monotonic() - said_s >= _PLAIN_EVERY_S:
            said_s = time.monotonic()
            console.print(text, soft_wrap=True)

    return tell


def _line(found: Explored, seconds: float) -> str:
    end = "all states" if found.complete else "stopped" if found.counterexample is None else "BROKEN"
    return (
        f"{found.model:<10} {found.states:>9,} states {found.transitions:>10,} transitions, depth {found.depth:>3}, "
        f"{end}; {found.transitions / max(seconds, 1e-9):,.0f} transitions/s of CPU; digest {found.digest[:12] or '-'}"
    )
