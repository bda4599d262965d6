"""How well the search finds what was planted: schedules until each defect of the core is found, from many seeds.

    python -m tests.simulator.search.quality results/quality.jsonl --seeds 20 --jobs 2
    python -m tests.simulator.search.quality results/quality.jsonl --show

One line of JSON per defect and starting seed, written at once: started again with the same file it goes on where it
was. A schedule counts only where the reference relay stands it. The first seed's finding is shrunk too.
"""

from __future__ import annotations

import argparse
import signal
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from statistics import quantiles

import msgspec

import broken_relays
from reference_relay.core.core import Core
from scenarios.schedule.file import Schedule
from simulator.search.play import Played, play
from simulator.search.shrink import Shrinker, size
from simulator.search.swarm import draw, schedule_seed

FIRST_SEED = 7
MOST = 20_000
"""Schedules from one seed; the goal is that 95 of 100 seeds need no more."""


class Row(msgspec.Struct, frozen=True):
    """One search. ``schedules`` None: not found in ``most``. ``events`` of the shrunk schedule, where it was shrunk."""

    defect: str
    seed: int
    most: int
    schedules: int | None = None
    clause: str = ""
    events: int | None = None


def core_defects() -> list[str]:
    return sorted(each.name for each in broken_relays.all_defects() if each.where == "core")


def first_hit(defect: str, seed: int, most: int) -> tuple[int, Schedule, Played] | None:
    """How many schedules it takes, and the one that shows it."""
    core = broken_relays.find(defect).core
    for number in range(most):
        schedule = draw(schedule_seed(seed, number))
        played = play(schedule, core)
        if played.violations and not play(schedule, Core).violations:
            return number + 1, schedule, played
    return None


def shrunk(defect: str, schedule: Schedule, clause: str) -> Schedule:
    core = broken_relays.find(defect).core
    return Shrinker(lambda each: play(each, core).clause == clause).shrink(schedule)


def measure(defect: str, seed: int, most: int) -> Row:
    hit = first_hit(defect, seed, most)
    if hit is None:
        return Row(defect, seed, most)
    schedules, schedule, played = hit
    events = size(shrunk(defect, schedule, played.clause)) if seed == FIRST_SEED else None
    return Row(defect, seed, most, schedules, played.clause, events)


def read(path: Path) -> list[Row]:
    """What is there; a line that was cut short by an interruption is measured again."""
    rows = []
    for line in path.read_bytes().splitlines() if path.exists() else ():
        try:
            rows.append(msgspec.json.decode(line, type=Row))
        except msgspec.DecodeError:
            continue
    return rows


def run(path: Path, defects: Sequence[str], seeds: Iterable[int], most: int, jobs: int) -> None:
    """Measure what the file lacks."""
    done = {(row.defect, row.seed) for row in read(path) if row.schedules is not None or row.most >= most}
    wanted = [(defect, seed) for seed in seeds for defect in defects if (defect, seed) not in done]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_leave_interrupts_alone) as pool:
        futures = [pool.submit(measure, defect, seed, most) for defect, seed in wanted]
        try:
            with path.open("ab") as file:
                file.write(b"\n" if done else b"")
                for future in as_completed(futures):
                    file.write(msgspec.json.encode(future.result()) + b"\n")
                    file.flush()
        finally:
            pool.shutdown(cancel_futures=True)


def _leave_interrupts_alone() -> None:
    """Ctrl-C is the parent's: what a process has begun it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def summary(rows: Sequence[Row]) -> str:
    """A line a defect, the hardest last, and how many seeds found theirs."""
    lines, every = [], [row for row in rows if row.schedules is not None]
    by_defect: dict[str, list[Row]] = {}
    for row in rows:
        by_defect.setdefault(row.defect, []).append(row)
    for defect, own in sorted(by_defect.items(), key=lambda pair: (_worst(pair[1]), pair[0])):
        taken = sorted(row.schedules for row in own if row.schedules is not None)
        missed = len(own) - len(taken)
        events = next((row.events for row in own if row.events is not None), None)
        middle = taken[len(taken) // 2] if taken else "-"
        lines.append(
            f"{defect:40} seeds {len(own):3}  missed {missed:2}  median {middle:>5}  most {max(taken, default=0):5}"
            f"  events {'-' if events is None else events}  {' '.join(sorted({row.clause for row in own}))[:60]}"
        )
    taken = sorted(row.schedules or 0 for row in every)
    if len(taken) > 1:
        tenths, share = quantiles(taken, n=10), len(every) / len(rows)
        lines.append(f"{len(by_defect)} defects, {len(rows)} searches, {len(every)} found theirs ({share:.2%})")
        lines.append(f"half within {tenths[4]:.0f} schedules, nine of ten within {tenths[8]:.0f}, all in {taken[-1]}")
    return "\n".join(lines)


def _worst(rows: Sequence[Row]) -> int:
    return max(row.schedules if row.schedules is not None else row.most + 1 for row in rows)


def main() -> None:
    parser = argparse.ArgumentParser(description="How well the search finds the planted defects of the core.")
    parser.add_argument("file", type=Path, help="JSON lines: what is in it is not measured again")
    parser.add_argument("--show", action="store_true", help="measure nothing, show what is there")
    parser.add_argument("--seeds", type=int, default=20, help="starting seeds after the first, from 100 on")
    parser.add_argument("--defects", default="", help="names with commas between them; all of the core by default")
    parser.add_argument("--most", type=int, default=MOST, help="schedules from one seed")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    if not given.show:
        defects = given.defects.split(",") if given.defects else core_defects()
        run(given.file, defects, [FIRST_SEED, *range(100, 100 + given.seeds)], given.most, given.jobs)
    print(summary(read(given.file)))


if __name__ == "__main__":
    main()
