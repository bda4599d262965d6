"""Runs scenarios in worlds, leaves their histories in a folder, and has them judged when all is over.

The judge runs after the last scenario: its work would make the event loop late, and lateness is what
it measures with.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Protocol

from conductor.timing import Timing
from evidence import run as evidence_run
from evidence.events import Footer
from evidence.verdict import RunResult
from scenarios import catalogue, expected, worlds
from scenarios.catalogue import Scenario
from scenarios.errors import UsageError
from scenarios.expected import Expectation
from scenarios.profile import Pace, Profile
from scenarios.worlds import Session, SessionOptions
from spec import claimed_clauses, clauses

SHORT_WAIT_S = 5.0
"""With a shorter ping wait, scenarios keep the processors busy rather than wait."""
MOST_BUSY = 120
MOST_WAITING = 600
"""Scenarios beside each other, where ``--jobs`` says nothing: more make the observer's loop late."""
_DISTRIBUTIONS = ("relayproof", "websockets", "dbos")


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """What one run is."""

    profile: Profile
    pace: Pace
    worlds: Sequence[str]
    results: Path
    select: Sequence[str] = ()
    skip: Sequence[str] = ()
    seed: int = 0
    jobs: int | None = None  # None: as many as the timing allows
    expectations: Sequence[Expectation] = ()
    command: str = ""
    given: str = ""  # what --relay was given, so that a failure can say how to see it again
    again: Callable[[Scenario], str] = lambda scenario: ""  # that line, where it is another command than conform


class Progress(Protocol):
    """Told while it happens."""

    def planned(self, world: str, scenarios: Sequence[Scenario]) -> None: ...

    def began(self, world: str, scenario: Scenario) -> None: ...

    def ended(self, world: str, scenario: Scenario, seconds: float, error: str) -> None: ...


class Silent:
    """A `Progress` that shows nothing."""

    def planned(self, world: str, scenarios: Sequence[Scenario]) -> None: ...

    def began(self, world: str, scenario: Scenario) -> None: ...

    def ended(self, world: str, scenario: Scenario, seconds: float, error: str) -> None: ...


@dataclass
class Outcome:
    """What a run left behind. ``interrupted``: scenarios that had not ended are missing from ``result``."""

    folder: Path
    result: RunResult
    planned: int  # scenarios, in all worlds
    interrupted: bool = False


def _elsewhere(options: RunOptions, chosen: Sequence[Scenario]) -> tuple[str, ...]:
    """Claimed MUST clauses that a whole run of these worlds says nothing about: to be said aloud."""
    if options.select or options.skip:
        return ()
    about = {clause for each in chosen for clause in each.clauses}
    return tuple(each.id for each in claimed_clauses() if each.level == "MUST" and each.id not in about)


@dataclass
class _Run:
    options: RunOptions
    timing: Timing
    folder: Path
    progress: Progress
    entries: list[evidence_run.Entry] = field(default_factory=list)


async def run(options: RunOptions, progress: Progress) -> Outcome:
    """Play, write the index, judge. Cancelled, it keeps what had ended and says so.

    Raises `UsageError` for what can't be selected, `TargetError` when the relay does not start.
    """
    plans = [
        (name, worlds.factory(name), catalogue.select(options.select, options.skip, world=name))
        for name in options.worlds
    ]
    began, started = time.monotonic(), datetime.now(UTC).isoformat(timespec="seconds")
    timing = options.profile.timing_at(options.pace)
    state = _Run(options, timing, _folder(options), progress)
    interrupted = False
    try:
        for name, factory, chosen in plans:
            if not chosen:
                continue
            session = factory(
                SessionOptions(profile=options.profile, timing=timing, seed=options.seed, folder=state.folder)
            )
            progress.planned(name, chosen)
            async with session:
                await _play_all(state, name, session, chosen)
    except asyncio.CancelledError:
        interrupted = True
        if (task := asyncio.current_task()) is not None:
            task.uncancel()
    index = evidence_run.Index(
        tool=f"relayproof {_versions().get('relayproof', '')}".strip(),
        relay=options.profile.name,
        target=options.given or options.profile.relay.target,
        started=started,
        seed=options.seed,
        pace=options.pace,
        timing=timing.names(),
        scenarios=tuple(sorted(state.entries, key=lambda entry: (entry.world, entry.scenario))),
        duration_s=round(time.monotonic() - began, 3),
        command=options.command,
        elsewhere=_elsewhere(options, [each for *_, chosen in plans for each in chosen]),
        host=evidence_run.host_facts(),
        versions=_versions(),
    )
    evidence_run.write_index(state.folder, index)
    judged = await asyncio.to_thread(evidence_run.judge_run, state.folder, clauses())
    planned = sum(len(chosen) for _, _, chosen in plans)
    return Outcome(state.folder, expected.apply(options.expectations, judged), planned, interrupted)


def _folder(options: RunOptions) -> Path:
    try:
        return evidence_run.new_folder(options.results, options.profile.name)
    except OSError as problem:
        raise UsageError(
            f"--results {options.results}: {problem.strerror}: give a folder that can be written"
        ) from problem


def deadline_s(scenario: Scenario, timing: Timing) -> float:
    """How long a scenario may take before it counts as hanging: thrice every wait of the timing after each other."""
    waits_s = (
        timing.handshake_deadline_s + timing.ping_wait_s + timing.ping_interval_s + timing.grace_s
        + timing.request_deadline_s + timing.recovery_deadline_s + timing.backoff_cap_s
    )  # fmt: skip
    return max(60.0 + 3 * waits_s, 1.5 * (scenario.documented_s or 0.0))


async def _play_all(state: _Run, world: str, session: Session, chosen: Sequence[Scenario]) -> None:
    """All of them, the long ones first, a bounded number beside each other.

    Those that disturb others begin, for they share few instances; where there is one relay for all, they end.
    """
    jobs = state.options.jobs or (MOST_BUSY if state.timing.ping_wait_s < SHORT_WAIT_S else MOST_WAITING)
    at_once = min(session.concurrency or jobs, jobs)
    disturbing_last = state.options.profile.relay.target.startswith("url:")
    queue = sorted(chosen, key=lambda each: (each.disturbs == disturbing_last, -(each.documented_s or 0.0), each.id))
    waiting = iter(queue)

    async def worker() -> None:
        for scenario in waiting:  # shared: each scenario goes to one worker
            await _play(state, world, session, scenario)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(at_once, len(queue))):
                group.create_task(worker())
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None


async def _play(state: _Run, world: str, session: Session, scenario: Scenario) -> None:
    path = f"{evidence_run.HISTORIES}/{scenario.slug}.{world}.jsonl"
    began = time.monotonic()
    state.progress.began(world, scenario)
    recorder = await session.play(scenario, state.folder / path, deadline_s(scenario, state.timing))
    again = state.options.again(scenario)
    state.entries.append(
        evidence_run.Entry(scenario=scenario.id, world=world, path=path, clauses=scenario.clauses, again=again)
    )
    footer = recorder.events[-1]
    error = footer.error if isinstance(footer, Footer) else "the history has no footer"
    state.progress.ended(world, scenario, time.monotonic() - began, error)


def _versions() -> dict[str, str]:
    found = {}
    for name in _DISTRIBUTIONS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
