"""A whole search: many schedules in several processes, what they find saved, shrunk and judged."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from msgspec.structs import replace

from reference_relay.core.core import Core
from scenarios.profile import Profile, RelaySection
from scenarios.schedule.file import Schedule, write
from simulator.search.play import Played, broken_clauses, play, play_whole
from simulator.search.shrink import Shrinker
from simulator.search.swarm import draw, schedule_seed
from simulator.world import core_of

BATCH = 25
"""Schedules that a process plays between two reports."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A schedule that broke the relay."""

    number: int
    seed: int
    clause: str
    text: str


@dataclass(slots=True)
class Tally:
    """What a search has done so far."""

    played: int = 0
    virtual_s: float = 0.0
    work: Counter[str] = field(default_factory=Counter)
    hits: list[Hit] = field(default_factory=list)

    @property
    def vacuous(self) -> bool:
        """Nothing died, nothing was recovered, nothing ran: it proves nothing."""
        return not (self.work["kills"] and self.work["recoveries"] and self.work["workflows"])

    def add(self, other: Tally) -> None:
        self.played += other.played
        self.virtual_s += other.virtual_s
        self.work.update(other.work)
        self.hits = sorted([*self.hits, *other.hits], key=lambda hit: hit.number)


def relay_core(target: str) -> type[Core]:
    """The core behind ``builtin:...``. Raises `scenarios.errors.UsageError`."""
    return core_of(Profile(relay=RelaySection(target=target)))


def batch(target: str, seed: int, first: int, count: int) -> Tally:
    """Play ``count`` schedules from number ``first`` on."""
    core, tally = relay_core(target), Tally()
    for number in range(first, first + count):
        own = schedule_seed(seed, number)
        _count(tally, number, own, play(draw(own), core))
    return tally


def _count(tally: Tally, number: int, seed: int, played: Played) -> None:
    tally.played += 1
    tally.virtual_s += played.seconds
    tally.work.update(
        kills=played.kills, recoveries=played.recoveries, workflows=played.workflows, calls=played.calls,
        moved=played.moved,
    )  # fmt: skip
    if played.violations:
        first = played.violations[0]
        tally.hits.append(Hit(number, seed, first.clause, f"{first.want}; {first.got}"))


def search(
    target: str,
    schedules: int,
    seed: int,
    jobs: int,
    *,
    enough: int = 1,
    told: Callable[[Tally], None] = lambda tally: None,
) -> Tally:
    """Until all are played, ``enough`` have failed, or Ctrl-C: then what was found so far."""
    tally = Tally()
    try:
        for part in _parts(target, schedules, seed, jobs):
            tally.add(part)
            told(tally)
            if len(tally.hits) >= enough:
                break
    except KeyboardInterrupt:
        pass
    return tally


def _parts(target: str, schedules: int, seed: int, jobs: int) -> Iterator[Tally]:
    starts = range(0, schedules, BATCH)
    if jobs <= 1:
        for first in starts:
            yield batch(target, seed, first, min(BATCH, schedules - first))
        return
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_leave_interrupts_alone)
    try:
        futures = [pool.submit(batch, target, seed, first, min(BATCH, schedules - first)) for first in starts]
        for future in as_completed(futures):
            yield future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _leave_interrupts_alone() -> None:
    """Ctrl-C is the parent's: it goes to the whole group."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@dataclass(frozen=True, slots=True)
class Found:
    """A failure, shrunk. ``judged``: what the judge said of its whole history."""

    hit: Hit
    schedule: Schedule
    path: Path
    history: Path
    judged: dict[str, str]
    plays: int

    @property
    def size(self) -> str:
        """In words: its faults, and its calls where it has some."""
        faults, calls = len(self.schedule.faults), len(self.schedule.calls)
        text = f"{faults} fault{'' if faults == 1 else 's'}"
        return f"{text}, {calls} call{'' if calls == 1 else 's'}" if calls else text


def keep(hit: Hit, target: str, folder: Path) -> Found:
    """Save the schedule, shrink it, play the smallest with all of its history, and have that judged."""
    core = relay_core(target)
    schedule = replace(draw(hit.seed), about={"relay": target, "clause": hit.clause, "found": hit.text})
    folder.mkdir(parents=True, exist_ok=True)
    write(schedule, folder / f"{schedule.name}.toml")
    shrinker = Shrinker(lambda each: play(each, core).clause == hit.clause)
    small = shrinker.shrink(schedule)
    small = replace(small, name=f"{schedule.name}-small")
    path, history = folder / f"{small.name}.toml", folder / f"{small.name}.jsonl"
    write(small, path)
    _, _, result = play_whole(small, core, history)
    judged = {clause: str(verdict) for clause, verdict in broken_clauses(result).items()}
    return Found(hit, small, path, history, judged, shrinker.plays)


def one_of_each(hits: Sequence[Hit]) -> list[Hit]:
    """The first hit of each clause."""
    first: dict[str, Hit] = {}
    for hit in hits:
        first.setdefault(hit.clause, hit)
    return list(first.values())
