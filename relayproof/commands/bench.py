"""``relayproof bench``: dispatch, accept and memory of the reference relay beside a bare server in the same run."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from rich.console import Console

from load.bench import accept, dispatch, memory, rounds, samples, syscalls, table
from load.bench.errors import BenchError
from load.bench.rounds import Verdict
from load.bench.samples import Sample
from load.bench.stage import REFERENCE, RELAY, allow_files, pins
from relayproof.commands import bench_simulator
from relayproof.errors import CommandError, MissingPart, WrongUsage

PASSED, FAILED, TOO_NOISY = 0, 1, 75
SHORT_ROUNDS = 2


def bench(
    part: Literal["relay", "simulator"] = "relay",
    /,
    *,
    short: bool = False,
    executors: int = 200,
    rounds: int | None = None,
    results: Path = Path("results"),
    strict: bool = False,
) -> int:
    """Show what the relay costs beside a bare picows server, or the simulator beside bare loops, measured in turn.

    Exit code 0: measured; 1: a goal was missed (with --strict); 75: too noisy to judge, try again on a quieter machine.

    Parameters
    ----------
    part
        What is measured.
    short
        Two rounds, fewer executors, shorter samples: for the counts and the memory.
    executors
        How many executors are there for the dispatch.
    rounds
        How often each side is measured; 5, or 2 with --short.
    results
        Where the run's folder goes: samples.jsonl and table.txt.
    strict
        Missed goals are failures.
    """
    times = rounds if rounds is not None else SHORT_ROUNDS if short else 5
    for name, value in (("--executors", executors), ("--rounds", times)):
        if value < 1:
            raise WrongUsage(f"{name} {value}: give 1 or more")
    if part == "simulator":
        return bench_simulator.measure(short=short, times=times, results=results, strict=strict)
    if find_spec("picows") is None:
        raise MissingPart("picows, the reference, is not installed: pip install 'relayproof[load]'")
    folder = results / f"{datetime.now(UTC):%Y%m%dT%H%M%S}-bench"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        return asyncio.run(_bench(short, executors, times, folder, strict))
    except BenchError as problem:
        raise CommandError(str(problem)) from problem


async def _bench(short: bool, executors: int, times: int, folder: Path, strict: bool) -> int:
    console = Console(highlight=False)
    pinned = pins()
    head = table.header(pinned)
    measures = (
        dispatch.measure(executors, 0.5 if short else 1.5),
        accept.measure(min(500, 10 * executors) if short else 2000),
        memory.measure(min(1000, 10 * executors) if short else allow_files(10_000)),
    )
    taken: list[Sample] = []

    def tell(sample: Sample) -> None:
        taken.append(sample)
        samples.write(taken, folder / "samples.jsonl")
        console.print(f"  {sample.measure} {sample.round}/{times} {sample.side}: {sample.value:.1f}", style="dim")

    outcomes = [rounds.outcome(measure, await rounds.run(measure, times, pinned, tell)) for measure in measures]
    seconds = 0.5 if short else 1.0
    counted = {
        side.name: await syscalls.per_dispatch(side, pinned, executors=executors, seconds=seconds)
        for side in (REFERENCE, RELAY)
    }
    report = table.text(head, outcomes, counted)
    (folder / "table.txt").write_text(report)
    console.print(f"\n{report}\nraw samples: {folder / 'samples.jsonl'}", soft_wrap=True)
    verdicts = {outcome.verdict for outcome in outcomes}
    if Verdict.TOO_NOISY in verdicts:
        return TOO_NOISY
    return FAILED if strict and Verdict.MISSED in verdicts else PASSED
