"""``relayproof conform``: play the catalogue against a relay and judge what was seen."""

from __future__ import annotations

import asyncio
import errno
import os
import random
import shlex
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, Literal, NoReturn

from cyclopts import Parameter
from rich.console import Console

from evidence.verdict import exit_code
from relayproof import before_run, report
from relayproof.errors import INTERRUPTED, CommandError, WrongUsage
from relayproof.progress import RunProgress
from relayproof.relays import resolve
from scenarios import catalogue, expected, preflight, runner, worlds
from scenarios.errors import UnknownWorld
from scenarios.expected import Expectation
from scenarios.runner import Outcome, RunOptions
from scenarios.targets import process

DEFAULT_WORLDS = ("wire", "real")
_NOT_WRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)


def conform(
    *,
    relay: str = "builtin:reference",
    world: Annotated[tuple[str, ...], Parameter(consume_multiple=False, negative="", show_default=False)] = (),
    timing: Literal["fast", "documented"] = "fast",
    select: Annotated[tuple[str, ...], Parameter(consume_multiple=True, negative="", show_default=False)] = (),
    skip: Annotated[tuple[str, ...], Parameter(consume_multiple=True, negative="", show_default=False)] = (),
    strict: bool = False,
    seed: int | None = None,
    jobs: int | None = None,
    expected_failures: Path | None = None,
    results: Path = Path("results"),
) -> int:
    """Prove a relay clause by clause. Exit code 0 pass, 1 fail, 2 unknown, 3 harness error, 64 wrong usage.

    Parameters
    ----------
    relay
        A profile's path, builtin:reference, builtin:broken/NAME, url:http://host:port, image:NAME, or cmd:COMMAND with
        {port}.
    world
        wire, simulated, real; several with commas. Default: wire and real.
    timing
        fast: a builtin's short figures, or another relay's own with the least grace period. documented: as it is.
    select
        Only scenarios whose id or clause matches one of these globs.
    skip
        Not these.
    strict
        A SHOULD that isn't met, or a MUST that the profile can't show, fails too.
    seed
        Of everything random; printed, and in every history.
    jobs
        At most so many scenarios at once. Default: as many as the timing and the host allow.
    expected_failures
        A list of known failures with their reasons; one that passes fails the run.
    results
        Where the run's folder goes.
    """
    if jobs is not None and jobs < 1:
        raise WrongUsage(f"--jobs {jobs}: give 1 or more")
    console = Console(stderr=True)
    profile = resolve(relay)
    for warning in preflight.warnings(profile):
        console.print(f"{relay}: {warning}", style="yellow", highlight=False, markup=False)
    options = RunOptions(
        profile=profile,
        pace=timing,
        worlds=_worlds(world, console),
        results=results,
        select=_names(select),
        skip=_names(skip),
        seed=random.SystemRandom().randrange(2**31) if seed is None else seed,
        jobs=jobs,
        expectations=_expectations(expected_failures),
        command=shlex.join(["relayproof", *sys.argv[1:]]),
        given=relay,
    )
    try:
        outcome = asyncio.run(_played(options, console))
        report.write_all(outcome.result, outcome.folder)
    except OSError as problem:
        if not _is_about_the_disk(problem) and not _is_below(problem.filename, results):
            raise
        raise CommandError(
            f"--results {results}: {problem.strerror}: make room or give another folder, and run again"
        ) from problem
    report.terminal(outcome.result)
    return _ending(outcome, strict)


async def _played(options: RunOptions, console: Console) -> Outcome:
    """SIGTERM ends a run like Ctrl-C: nothing that was started is left behind. A second Ctrl-C ends it at once."""
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None

    def interrupt() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        signal.signal(signal.SIGINT, _stop_at_once)
        console.print("interrupted: what has ended is judged now; Ctrl-C again stops at once", style="yellow")
        task.cancel()

    def report_failure(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if not _is_about_the_disk(context.get("exception")):  # told once, at the end
            loop.default_exception_handler(context)

    loop.set_exception_handler(report_failure)
    loop.add_signal_handler(signal.SIGINT, interrupt)
    loop.add_signal_handler(signal.SIGTERM, task.cancel)
    await before_run.look(options.profile, options.pace, options.worlds, options.given, options.seed)
    with RunProgress(console) as progress:
        return await runner.run(options, progress)


def _stop_at_once(number: int, frame: FrameType | None) -> NoReturn:
    """Whatever still tidies up may take its time, or wait for what never comes: asked twice, nothing is waited for."""
    process.kill_groups()
    os._exit(INTERRUPTED)


def _is_about_the_disk(problem: object) -> bool:
    return isinstance(problem, OSError) and problem.errno in _NOT_WRITTEN


def _is_below(name: object, folder: Path) -> bool:
    """Whether a file is in the results: then somebody removed or locked them while they were written."""
    return isinstance(name, str | Path) and Path(name).absolute().is_relative_to(folder.absolute())


def _worlds(asked: tuple[str, ...], console: Console) -> tuple[str, ...]:
    """As asked; by default those that can run here, with a line for one that can't."""
    names = _names(asked)
    if names:
        for name in names:
            worlds.factory(name)
        return tuple(dict.fromkeys(names))
    able = []
    for name in DEFAULT_WORLDS:
        try:
            worlds.factory(name)
        except UnknownWorld as problem:
            console.print(f"without the {name} world: {problem}", style="yellow", highlight=False, markup=False)
        else:
            able.append(name)
    return tuple(able)


def _expectations(path: Path | None) -> Sequence[Expectation]:
    if path is None:
        return ()
    entries = expected.load(path)
    expected.check(entries, catalogue.all())
    return entries


def _names(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Separated by spaces or by commas."""
    return tuple(name.strip() for text in texts for name in text.split(",") if name.strip())


def _ending(outcome: Outcome, strict: bool) -> int:
    run = outcome.result
    print(f"seed {run.seed} · {outcome.folder}")
    print(f"report {outcome.folder / 'report.html'}")
    if outcome.interrupted:
        print(f"interrupted: this is about the {len(run.scenarios)} of {outcome.planned} scenarios that had ended")
        return INTERRUPTED
    return exit_code(run, strict)
