"""What is measured: each row sets a subject beside a reference in the same run."""

from __future__ import annotations

import hashlib
import resource
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import repeat
from multiprocessing import get_context

from simulator.bench.heartbeats import Heartbeats
from simulator.bench.loops import bare_timers, clock_timers
from simulator.bench.schedules import QUIET, bare, heartbeats, judged
from simulator.clock import Clock, ns
from simulator.explore.models import PAIR
from simulator.explore.search import breadth_first, walk

MOST_BYTES = 4 * 1024**3
"""What 100,000 executors may take."""


@dataclass(frozen=True, slots=True)
class Work:
    """One side's part: how many operations it did, and what must come out alike every time ("" for nothing)."""

    operations: int
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """``goal``: the subject's operations per second are at least so many times the reference's; None: told only.

    ``wall``: by the clock on the wall (several processes), not by the CPU time of this one.
    """

    name: str
    title: str
    unit: str
    reference: tuple[str, Callable[[int], Work]]  # by the number of the round
    subject: tuple[str, Callable[[int], Work]]
    goal: float | None
    wall: bool = False


@dataclass(frozen=True, slots=True)
class Size:
    """How much of everything."""

    timers: int = 10_000
    timer_events: int = 300_000
    schedules: int = 6
    schedule_s: float = 600.0
    few: int = 1_000
    many: int = 10_000
    beating_s: float = 30.0
    transitions: int = 20_000
    hour_s: float = 3_600.0
    crowd: int = 100_000
    crowd_s: float = 20.0


LONG = Size()
SHORT = Size(
    timers=1_000, timer_events=30_000, schedules=2, schedule_s=120.0, few=100, many=1_000, beating_s=20.0,
    transitions=2_000, hour_s=60.0, crowd=5_000, crowd_s=12.0,
)  # fmt: skip


def rows(size: Size) -> list[Row]:
    """In the order of the report."""
    return [
        Row(
            "engine", f"timers, {size.timers:,} executors", "events/s",
            ("floor: bare heapq loop", lambda _: Work(bare_timers(size.timers, size.timer_events))),
            ("simulator.clock on SimPy", lambda _: Work(clock_timers(size.timers, size.timer_events))), 0.75,
        ),
        Row(
            "schedules", f"schedules of 5 executors, {size.schedule_s:g} s", "schedules/s",
            ("the same world, bare loop, unwatched", lambda n: _unwatched(_seeds(n, size), size.schedule_s)),
            ("SimPy, invariants, trace digest", lambda n: _judged(_seeds(n, size), size.schedule_s)), 0.6,
        ),
        Row(
            "processes", "the same in two processes", "schedules/s",
            ("one process", lambda n: _in_processes(1, _seeds(n, size), size.schedule_s)),
            ("two processes", lambda n: _in_processes(2, _seeds(n, size), size.schedule_s)), 1.6, wall=True,
        ),
        Row(
            "skipping", "heartbeats that change nothing", "schedules/s",
            ("every heartbeat", lambda n: _beaten(n, size, QUIET, skipped=False)),
            ("skipped", lambda n: _beaten(n, size, QUIET, skipped=True)), 2.5,
        ),
        Row(
            "skipping-busy", "the same where the row schedules is", "schedules/s",
            ("every heartbeat", lambda n: _beaten(n, size, 1.0, skipped=False)),
            ("skipped", lambda n: _beaten(n, size, 1.0, skipped=True)), None,
        ),
        Row(
            "growth", f"an event with {size.many:,} executors, against {size.few:,}", "events/s",
            (f"{size.few:,} executors", lambda _: _beats(size.many // size.few, size.few, size.beating_s)),
            (f"{size.many:,} executors", lambda _: beat(size.many, size.beating_s)), 1 / 2.2,
        ),
        Row(
            "explore", "breadth-first over the core", "transitions/s",
            ("random walk on it", lambda _: _walked(size.transitions)),
            ("breadth-first", lambda _: _explored(size.transitions)), 1.0,
        ),
    ]  # fmt: skip


def beat(executors: int, seconds: float) -> Work:
    """Heartbeats of so many executors for so long, in virtual time."""
    clock = Clock()
    world = Heartbeats(clock, executors)
    clock.run(until=ns(seconds))
    return Work(world.events, world.digest())


def _beats(worlds: int, executors: int, seconds: float) -> Work:
    """Several small worlds, so that both sides do as much of everything."""
    done = [beat(executors, seconds) for _ in range(worlds)]
    return Work(sum(work.operations for work in done), _joined(work.digest for work in done))


def _seeds(round_: int, size: Size) -> range:
    """The same in every round, so that the digests can be compared."""
    return range(size.schedules)


def _judged(seeds: Iterable[int], seconds: float) -> Work:
    digests = [judged(seed, seconds) for seed in seeds]
    return Work(len(digests), _joined(digests))


def _unwatched(seeds: Iterable[int], seconds: float) -> Work:
    kills = [bare(seed, seconds) for seed in seeds]
    return Work(len(kills), _joined(map(str, kills)))


def _in_processes(processes: int, seeds: range, seconds: float) -> Work:
    """Whoever is done takes the next one, as in a search: dealt out beforehand, one process waits for the other."""
    done = list(_pool(processes).map(judged, _TURNS * [*seeds], repeat(seconds)))
    return Work(len(done), _joined(done))


_TURNS = 4
"""Each schedule so often: the more there are, the less it matters that one process has the last one to itself."""

_POOLS: dict[int, ProcessPoolExecutor] = {}


def _pool(processes: int) -> ProcessPoolExecutor:
    if processes not in _POOLS:
        _POOLS[processes] = ProcessPoolExecutor(processes, mp_context=get_context("spawn"))
    return _POOLS[processes]


def prepare() -> None:
    """Start the processes and import what they need, so that no round pays for it."""
    for processes in (1, 2):
        list(_pool(processes).map(judged, range(4 * processes), repeat(60.0)))


def end() -> None:
    for pool in _POOLS.values():
        pool.shutdown()
    _POOLS.clear()


def _beaten(round_: int, size: Size, rarer: float, *, skipped: bool) -> Work:
    traces = [heartbeats(seed, size.schedule_s, rarer, skipped=skipped) for seed in _seeds(round_, size)]
    return Work(len(traces), _joined(traces))


def _walked(transitions: int) -> Work:
    return Work(transitions, walk(replace(PAIR, inside=False), 1, transitions).digest)


def _explored(transitions: int) -> Work:
    found = breadth_first(replace(PAIR, inside=False), most_states=max(transitions // 6, 50))
    return Work(found.transitions, found.digest)


def _joined(texts: Iterable[str]) -> str:
    return hashlib.sha256("".join(texts).encode()).hexdigest()[:16]


# ---- told once, not set beside anything


def peak_bytes(executors: int, seconds: float) -> int:
    """Peak resident memory of a process of its own that lets so many executors live for so long."""
    program = f"from simulator.bench.rows import crowd; crowd({executors}, {seconds})"
    result = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return int(result.stdout)


def crowd(executors: int, seconds: float) -> None:
    """In the process of `peak_bytes`."""
    beat(executors, seconds)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
