"""``relayproof bench simulator``: what the simulator costs beside bare loops in the same run."""

from __future__ import annotations

import os
import platform
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from rich.console import Console

from relayproof.errors import CommandError
from simulator.bench import rounds
from simulator.bench.rounds import Outcome, Sample, Unequal, Verdict
from simulator.bench.rows import LONG, MOST_BYTES, SHORT, Size, beat, end, peak_bytes, prepare, rows

PASSED, FAILED, TOO_NOISY = 0, 1, 75


def measure(*, short: bool, times: int, results: Path, strict: bool) -> int:
    """Exit codes as of `relayproof bench`. With ``short`` only counts, memory and digests are judged."""
    size = SHORT if short else LONG
    folder = results / f"{datetime.now(UTC):%Y%m%dT%H%M%S}-bench-simulator"
    folder.mkdir(parents=True, exist_ok=True)
    console = Console(highlight=False)
    taken: list[Sample] = []
    head = header()

    def tell(sample: Sample) -> None:
        taken.append(sample)
        rounds.write(taken, folder / "samples.jsonl")
        console.print(f"  {sample.row} {sample.round}/{times} {sample.side}: {sample.rate:,.1f}/s", style="dim")

    outcomes: list[Outcome] = []
    try:
        prepare()
        outcomes += (rounds.outcome(row, rounds.run(row, times, tell)) for row in rows(size))
        wrong = _same_work(outcomes)
    except Unequal as unequal:
        raise CommandError(str(unequal)) from unequal
    finally:
        end()
    told, fits = _told(size)
    report = "\n".join([*head, *(line for each in outcomes for line in ("", *rounds.table(each))), "", *told, *wrong])
    (folder / "table.txt").write_text(report + "\n")
    console.print(f"\n{report}\n\nraw samples: {folder / 'samples.jsonl'}", soft_wrap=True)
    if wrong or not fits:
        return FAILED
    verdicts = {each.verdict for each in outcomes}
    if short:
        return PASSED
    if Verdict.TOO_NOISY in verdicts:
        return TOO_NOISY
    return FAILED if strict and Verdict.MISSED in verdicts else PASSED


def header() -> list[str]:
    """Processors, interpreter, libraries, how busy the machine was."""
    return [
        f"{len(os.sched_getaffinity(0))} cores, load average {os.getloadavg()[0]:.1f} at first, {platform.machine()}",
        f"{platform.python_implementation()} {platform.python_version()}, "
        + ", ".join(f"{name} {version(name)}" for name in ("simpy", "msgspec", "immutables")),
        "CPU is this process's own; ratios are of medians; sides take turns: A B C, C B A, ...",
    ]


def _same_work(outcomes: list[Outcome]) -> list[str]:
    """Skipped heartbeats must change nothing: both sides' traces are one."""
    return [
        f"{each.row.name}: the sides' traces differ"
        for each in outcomes
        if each.row.name.startswith("skipping") and each.lines[0].digest != each.lines[1].digest
    ]


def _told(size: Size) -> tuple[list[str], bool]:
    """What is told once: a long run as a multiple of real time, and the memory of a crowd."""
    started = time.process_time()
    work = beat(size.few, size.hour_s)
    seconds = time.process_time() - started
    peak = peak_bytes(size.crowd, size.crowd_s)
    lines = [
        f"{size.few:,} executors with heartbeats, {size.hour_s:,.0f} s: {work.operations:,} events in {seconds:.1f} s "
        f"of CPU, {size.hour_s / max(seconds, 1e-9):,.0f} times real time; digest {work.digest}",
        f"{size.crowd:,} executors for {size.crowd_s:g} s: peak {peak / 1024**2:,.0f} MiB, at most "
        f"{MOST_BYTES / 1024**2:,.0f}",
    ]
    return lines, peak < MOST_BYTES
