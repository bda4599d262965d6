"""``relayproof simulate``: look for schedules of faults that break a relay's core, in virtual time."""

from __future__ import annotations

import os
import random
import shlex
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from relayproof.errors import WrongUsage
from simulator.search.hunt import Found, Tally, keep, one_of_each, search

_PLAIN_EVERY_S = 10.0


def simulate(
    *,
    relay: str = "builtin:reference",
    schedules: int = 1000,
    seed: int | None = None,
    jobs: int = 0,
    enough: int = 1,
    results: Path = Path("results/search"),
) -> int:
    """Play random schedules of faults against a relay's core. Exit code 0: none broke it; 1: one did; 3: they proved
    nothing.

    A schedule that breaks it is saved, shrunk, and judged from its whole history; `relayproof replay` shows it.

    Parameters
    ----------
    relay
        builtin:reference or builtin:broken/NAME, a defect of the core.
    schedules
        How many to play.
    seed
        Of everything random; printed.
    jobs
        Processes; default: one a core.
    enough
        Stop after so many failing schedules.
    results
        Where failing schedules are saved.
    """
    for name, value in (("schedules", schedules), ("enough", enough)):
        if value < 1:
            raise WrongUsage(f"--{name} {value}: give 1 or more")
    if jobs < 0:
        raise WrongUsage(f"--jobs {jobs}: give 1 or more, or 0 for one a core")
    chosen = random.SystemRandom().randrange(2**31) if seed is None else seed
    console = Console(stderr=True)
    started_s = time.monotonic()
    with _Told(console, schedules) as told:
        tally = search(relay, schedules, chosen, jobs or os.cpu_count() or 1, enough=enough, told=told)
    took_s = time.monotonic() - started_s
    print(_summary(tally, schedules, chosen, took_s))
    found = [keep(hit, relay, results) for hit in one_of_each(tally.hits)]
    for each in found:
        print(_told(each))
    if found:
        return 1
    if tally.vacuous:
        print("nothing was killed, recovered or run: this proves nothing; play more schedules", file=sys.stderr)
        return 3
    return 0


class _Told:
    """A bar on a terminal, a line now and then elsewhere."""

    def __init__(self, console: Console, schedules: int) -> None:
        self._console = console
        self._schedules = schedules
        self._said_s = time.monotonic()
        self._bar: Progress | None = None
        if console.is_terminal:
            self._bar = Progress(
                TextColumn("schedules"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
                TextColumn("{task.fields[found]}"), console=console, transient=True,
            )  # fmt: skip
            self._task = self._bar.add_task("", total=schedules, found="")

    def __enter__(self) -> _Told:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *details: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, tally: Tally) -> None:
        found = f"{len(tally.hits)} failed" if tally.hits else ""
        if self._bar is not None:
            self._bar.update(self._task, completed=tally.played, found=found)
        elif time.monotonic() - self._said_s >= _PLAIN_EVERY_S:
            self._said_s = time.monotonic()
            self._console.print(f"{tally.played}/{self._schedules} schedules {found}".rstrip(), highlight=False)


def _summary(tally: Tally, schedules: int, seed: int, took_s: float) -> str:
    work = tally.work
    stopped = "" if tally.played == schedules else f" of {schedules}"
    return (
        f"{tally.played}{stopped} schedules, {len(tally.hits)} failed · seed {seed} · {took_s:.0f} s\n"
        f"{tally.virtual_s / 3600:.0f} virtual hours: {work['kills']} processes ended, {work['recoveries']} recoveries "
        f"asked, {work['moved']} workflows moved of {work['workflows']}, {work['calls']} calls"
    )


def _told(found: Found) -> str:
    judged = ", ".join(f"{clause} {verdict}" for clause, verdict in found.judged.items()) or "nothing broken"
    return (
        f"\n{found.hit.clause}: {found.hit.text} (schedule {found.hit.number})\n"
        f"  shrunk to {found.size} in {found.plays} plays: {found.path}\n"
        f"  the judge says: {judged}\n"
        f"  again: {shlex.join(['relayproof', 'replay', str(found.path)])}"
    )
