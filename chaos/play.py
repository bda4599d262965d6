"""One chaos run from beginning to end: a folder with its history, judged, and what its reports are made of."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from chaos.campaign import Campaign, chaos_timing
from chaos.driver import Driver, Standing
from chaos.real import RealWorld
from chaos.sessions import session_class
from chaos.swarm import draw
from evidence import run as evidence_run
from evidence.errors import HistoryError
from evidence.history import History, load
from evidence.verdict import RunResult
from scenarios.catalogue import Scenario
from scenarios.profile import Profile
from scenarios.schedule import write
from scenarios.worlds import SessionOptions
from spec import clauses

__all__ = ["SCENARIO", "Played", "expect", "play"]

SCENARIO = "OUT-1/chaos"
_HISTORY = f"{evidence_run.HISTORIES}/OUT-1.chaos.chaos.jsonl"
_KINDS = ["queued", "child", "sleeping", "receiving", "waiting"]
RULES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "OUT-1": ("cases_end", {}),
    "OUT-2": ("cases_end_once", {}),
    "OUT-3": ("steps_once", {}),
    "OUT-4": ("kinds_survive", {"kinds": _KINDS}),
    "OUT-5": ("zombies_change_nothing", {}),
    "REC-1": ("dead_are_recovered", {}),
    "REC-2": ("right_recoverer", {}),
    "REC-3": ("right_recoverer", {}),
    "REC-6": ("dead_records_go", {}),
    "REC-16": ("dead_are_recovered", {}),
    "AUD-1": ("adoption_audited", {}),
}
"""The judge's rule for each clause of a run with cases; what always holds (REC-10, REC-26, ...) needs none.

REC-23 is left to the test `mixed-languages`: here each language has an application of its own.
"""


@dataclass(frozen=True, slots=True)
class Played:
    """What a run left behind. ``interrupted``: it was ended early, and judged all the same."""

    folder: Path
    result: RunResult
    history: History | None  # None: no complete one was written
    interrupted: bool = False


def expect(world: RealWorld, wanted: tuple[str, ...]) -> None:
    """Write what the judge shall look for."""
    for clause in wanted:
        if clause in RULES:
            rule, args = RULES[clause]
            world.expect(clause, rule, **args)


async def play(
    profile: Profile, campaign: Campaign, *, grace_s: float, results: Path, command: str = "", given: str = "",
    again: str = "", looked: Callable[[Standing], None] = lambda standing: None,
    started: Callable[[Driver], None] = lambda driver: None,
) -> Played:  # fmt: skip
    """Play it, judge it. ``started`` is given the driver, so that a signal can end it early.

    ``again``: a line for a shell that plays it again.
    Raises what no history can hold: `TargetError`, `UnknownWorld`, `MissingPostgres`.
    """
    began, stamp = time.monotonic(), datetime.now(UTC).isoformat(timespec="seconds")
    folder = evidence_run.new_folder(results, f"chaos-{profile.name}")
    timing = chaos_timing(profile, campaign.timing or profile.timing_at("fast"), grace_s)
    schedule = campaign.schedule or draw(campaign, timing)
    write(schedule, folder / "schedule.toml")
    wanted = campaign.clauses(schedule)
    drivers: list[Driver] = []

    async def body(world: RealWorld) -> None:
        expect(world, wanted)
        driver = Driver(world, campaign, schedule, looked)
        drivers.append(driver)
        started(driver)
        await driver.run()

    scenario = Scenario(
        id=SCENARIO, title=_title(campaign), clauses=wanted, run=body, worlds=("chaos",), disturbs=True,
        module=__name__,
    )  # fmt: skip
    options = SessionOptions(profile=profile, timing=timing, seed=campaign.seed, folder=folder)
    async with session_class(campaign.runtime)(options, grace_s=grace_s, store=campaign.store) as session:
        for worker in campaign.workers:
            session.prepare(worker)
        await session.play(scenario, folder / _HISTORY, campaign.duration_s + 600.0)
    entry = evidence_run.Entry(scenario=SCENARIO, world="chaos", path=_HISTORY, clauses=scenario.clauses, again=again)
    evidence_run.write_index(
        folder,
        evidence_run.Index(
            tool="relayproof chaos", relay=profile.name, target=given or profile.relay.target, started=stamp,
            seed=campaign.seed, pace="chaos", timing=timing.names(),
            scenarios=(entry,),
            duration_s=round(time.monotonic() - began, 3), command=command, host=evidence_run.host_facts(),
            versions={worker.language: worker.version for worker in campaign.workers},
        ),
    )  # fmt: skip
    result = await asyncio.to_thread(evidence_run.judge_run, folder, clauses())
    return Played(folder, result, _loaded(folder / _HISTORY), any(driver.interrupted for driver in drivers))


def _title(campaign: Campaign) -> str:
    languages = ", ".join(campaign.languages)
    return (
        f"{campaign.executors} executors each of {languages} on {campaign.store}, {campaign.duration_s:g} s of faults"
    )


def _loaded(path: Path) -> History | None:
    try:
        return load(path)
    except (HistoryError, OSError):
        return None
