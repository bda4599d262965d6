"""Plays an experiment n times on one relay, each try with fresh processes and a database of its own."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from chaos.arena import ChaosSession
from chaos.campaign import chaos_timing
from chaos.course import Course
from chaos.findings.experiment import Experiment, Finding, Trial
from chaos.findings.proof import proof
from chaos.findings.record import Measured
from chaos.real import RealWorld
from evidence import run as evidence_run
from evidence.errors import HistoryError
from evidence.history import History, load
from scenarios.catalogue import Scenario
from scenarios.profile import Profile
from scenarios.worlds import SessionOptions
from sdk_matrix.languages import Worker

__all__ = ["GRACE_S", "reproduce"]

GRACE_S = 2.0
"""A falsely dead executor is declared so soon after its socket was cut."""
_MOST_S = 180.0  # of one try


async def reproduce(
    profile: Profile, experiment: Experiment, worker: Worker, *, store: str, times: int, seed: int, folder: Path,
    tell: Callable[[str], None] = lambda line: None,
) -> list[Measured]:  # fmt: skip
    """One entry for each of the experiment's findings. Histories and logs go into ``folder``.

    Raises what no history can hold: `TargetError`, `UnknownWorld`, `MissingPostgres`.
    """
    timing = chaos_timing(profile, profile.timing_at("fast"), GRACE_S)
    options = SessionOptions(profile=profile, timing=timing, seed=seed, folder=folder)
    histories: dict[int, History] = {}
    async with ChaosSession(options, grace_s=GRACE_S, store=store) as session:
        session.prepare(worker)

        async def play(number: int) -> None:
            path = folder / evidence_run.HISTORIES / f"{experiment.name}.{number}.jsonl"
            await session.play(_scenario(experiment, worker, number, seed), path, _MOST_S)
            history, problem = await asyncio.to_thread(_complete, path)
            if history is not None:
                histories[number] = history
            tell(f"{number} of {times}: {_said(experiment, history) if history is not None else problem}")

        for first in range(1, times + 1, experiment.abreast):
            await _all(play(number) for number in range(first, min(first + experiment.abreast, times + 1)))
    about = f"{worker.language} {worker.version}"
    missing = times - len(histories)
    if missing:
        tell(f"{missing} of {times} tries of {experiment.name} with {about} came to no end and count for nothing")
    made = [
        _measured(experiment, each, [histories[number] for number in sorted(histories)], missing)
        for each in experiment.findings
    ]
    return [
        Measured(
            experiment=experiment.name, language=worker.language, sdk=worker.version, database=store, seed=seed,
            relay=profile.name, day=datetime.now(UTC).strftime("%Y-%m-%d"), **fields,
        )
        for fields in made
    ]  # fmt: skip


async def _all(tries: Iterable[Coroutine[None, None, None]]) -> None:
    """Side by side. The first that fails ends the others, and its own error is raised."""
    tasks = [asyncio.ensure_future(each) for each in tries]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _scenario(experiment: Experiment, worker: Worker, number: int, seed: int) -> Scenario:
    async def body(world: RealWorld) -> None:
        source = random.Random(f"{experiment.name} {worker.language} {seed} {number}")
        await experiment.course(Trial(Course(world), worker, number, source))

    return Scenario(
        id=f"OUT-1/{experiment.name}", title=experiment.about, run=body, worlds=("chaos",), disturbs=True,
        clauses=tuple(sorted({clause for each in experiment.findings for clause in each.clauses})), module=__name__,
    )  # fmt: skip


def _complete(path: Path) -> tuple[History | None, str]:
    """The history, or why the try counts for nothing."""
    try:
        history = load(path)
    except HistoryError as problem:
        return None, str(problem)
    if history.footer.outcome != "complete":
        return None, (history.footer.error.strip().splitlines() or ["it did not end"])[-1]
    return history, ""


def _said(experiment: Experiment, history: History) -> str:
    looks = [(finding.fault, finding.look(history)) for finding in experiment.findings]
    return ", ".join(f"{fault} in {len(seen.workflows)} of {seen.exposed} workflows" for fault, seen in looks)


def _measured(experiment: Experiment, finding: Finding, histories: Sequence[History], missing: int) -> dict[str, Any]:
    looks = [(history, finding.look(history)) for history in histories]
    occasions = [(history, seen) for history, seen in looks if seen.exposed]
    shown = [(history, seen) for history, seen in occasions if seen.workflows]
    return {
        "fault": finding.fault,
        "about": finding.about,
        "clauses": finding.clauses,
        "seen": len(shown),
        "tries": len(occasions),
        "workflows": sum(len(seen.workflows) for _, seen in shown),
        "exposed": sum(seen.exposed for _, seen in occasions),
        "left_out": len(looks) - len(occasions) + missing,
        "proof": proof(shown[0][0], shown[0][1].workflows[0]) if shown else (),
    }
