"""``relayproof replay FILE``: play one schedule again, step by step, with a drawn time line."""

from __future__ import annotations

import asyncio
import re
import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from rich.console import Console

import spec
from evidence import events
from evidence import run as evidence_run
from evidence.history import Recorder
from evidence.run import HISTORIES, Entry, Index, judge_run, write_index
from evidence.verdict import RunResult, exit_code
from relayproof import report
from relayproof.errors import WrongUsage
from relayproof.relays import resolve
from scenarios import worlds
from scenarios.catalogue import Scenario
from scenarios.schedule import Schedule, read
from scenarios.schedule.file import dumps
from scenarios.schedule.scripted import follow
from scenarios.world import World
from scenarios.worlds import SessionOptions
from simulator.search.hunt import relay_core
from simulator.search.play import play_whole

_STEPS = (events.Open, events.Closed, events.Refused, events.Fault, events.Relay, events.Frame, events.Poll)
_CLAUSES = ("REC-1",)


def replay(
    file: Path,
    *,
    relay: str = "",
    world: Literal["simulated", "wire"] = "simulated",
    save_as_scenario: str = "",
    catalogue: Path = Path("scenarios/catalogue/found"),
    results: Path = Path("results"),
    quiet: bool = False,
) -> int:
    """Play one schedule again and show it: each step, the verdicts, and a page with its time line.

    Exit code 0 pass, 1 fail, 2 unknown, 3 harness error.

    Parameters
    ----------
    file
        A schedule.
    relay
        A profile's path or builtin:NAME; default: the one that the file names, else builtin:reference.
    world
        simulated: SDKs, database and network as models, the relay's own core. wire: scripted executors on sockets,
        any relay; what they can't play is said.
    save_as_scenario
        Write a scenario of this name that plays the schedule in every world, instead of playing it.
    catalogue
        Where such a scenario goes.
    results
        Where the run's folder goes.
    quiet
        Without the steps.
    """
    schedule = read(file)
    if save_as_scenario:
        print(_save(schedule, save_as_scenario, catalogue))
        return 0
    target = relay or str(schedule.about.get("relay", "builtin:reference"))
    folder = evidence_run.new_folder(results, f"replay-{schedule.name}", latest=False)
    path = folder / HISTORIES / f"{schedule.name}.{world}.jsonl"
    if world == "wire":
        recorder = asyncio.run(_on_the_wire(schedule, target, folder, path))
    else:
        recorder, _, _ = play_whole(schedule, relay_core(target), path)
    if not quiet:
        for line in steps(recorder):
            print(line)
    again = shlex.join(["relayproof", "replay", str(file), "--relay", target, "--world", world])
    run = _judged(schedule, target, world, folder, path, again)
    report.write_all(run, folder)
    report.terminal(run, Console())
    print(f"time line {folder / 'report.html'}")
    return exit_code(run)


async def _on_the_wire(schedule: Schedule, target: str, folder: Path, path: Path) -> Recorder:
    """One scenario in a session of its own."""
    profile = resolve(target)
    grace_s = profile.timing.grace_s if profile.builtin is None else 2.0
    options = SessionOptions(profile=profile, timing=profile.timing.timing(grace_s), seed=schedule.seed, folder=folder)
    scenario = as_scenario(schedule)
    async with worlds.factory("wire")(options) as session:
        t = options.timing
        stretch = (t.ping_wait_s + t.grace_s) / (schedule.timing_profile.ping_wait_s + schedule.timing_profile.grace_s)
        return await session.play(scenario, path, 120.0 + 4 * schedule.duration_s * stretch)


def as_scenario(schedule: Schedule) -> Scenario:
    """The schedule as a scenario that no catalogue has."""

    async def run(world: World) -> None:
        await follow(world, schedule)

    return Scenario(
        id=f"schedule/{schedule.name}", title=f"the schedule {schedule.name}", clauses=_CLAUSES,
        run=run, worlds=("simulated", "wire"), disturbs=True,
    )  # fmt: skip


def _judged(schedule: Schedule, target: str, world: str, folder: Path, path: Path, again: str) -> RunResult:
    place = path.relative_to(folder).as_posix()
    entry = Entry(scenario=f"schedule/{schedule.name}", world=world, path=place, clauses=_CLAUSES, again=again)
    write_index(
        folder,
        Index(
            tool="relayproof", relay=target, target=target, started=datetime.now(UTC).isoformat(timespec="seconds"),
            seed=schedule.seed, pace="documented", timing=schedule.timing_profile.names(), scenarios=(entry,),
            command=shlex.join(["relayproof", *sys.argv[1:]]),
        ),
    )  # fmt: skip
    return judge_run(folder, spec.clauses())


def steps(recorder: Recorder) -> list[str]:
    """What happened, a line each; heartbeats and unchanged lists are left out."""
    return [
        f"{event.t / 1e9:10.3f}  {words}"
        for event in recorder.events
        if isinstance(event, _STEPS) and (words := _words(event))
    ]


def _words(event: Any) -> str:
    match event:
        case events.Open():
            return f"{event.executor or 'somebody'} dials (connection {event.conn})"
        case events.Closed():
            return f"connection {event.conn} ended by the {event.by} ({event.how})"
        case events.Refused():
            return f"connection {event.conn} refused ({event.status})"
        case events.Fault():
            told = ", ".join(f"{name} {value}" for name, value in event.detail.items())
            return f"FAULT {event.kind} {event.executor} {told}".rstrip()
        case events.Relay():
            return f"relay {event.what} {event.detail.get('error', '')}".rstrip()
        case events.Frame() if event.op == "text":
            who = "relay ->" if event.by == "relay" else "-> relay"
            return f"connection {event.conn} {who} {event.data[:120]}"
        case events.Poll() if not event.same and event.executors:
            return f"list of {event.app}: " + ", ".join(f"{seen.executor} {seen.status}" for seen in event.executors)
    return ""


def _save(schedule: Schedule, name: str, folder: Path) -> Path:
    if not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise WrongUsage(f"--save-as-scenario {name}: give small letters, digits and dashes")
    folder.mkdir(parents=True, exist_ok=True)
    package = folder / "__init__.py"
    if not package.exists():
        package.write_text('"""Schedules that a search has found, as scenarios."""\n', encoding="utf-8")
    path = folder / f"{name.replace('-', '_')}.py"
    path.write_text(
        _MODULE.format(
            title=f"the schedule {schedule.name}", clause="REC-1", name=name, function=name.replace("-", "_"),
            text=dumps(schedule),
        ),
        encoding="utf-8",
    )  # fmt: skip
    return path


_MODULE = '''"""{clause}: {title}, found by a search."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.schedule.file import loads
from scenarios.schedule.scripted import follow
from scenarios.world import World

SCHEDULE = """
{text}"""


@scenario("{clause}/{name}", clauses=("{clause}",), title="{title}", disturbs=True)
async def {function}(world: World) -> None:
    await follow(world, loads(SCHEDULE, "{name}"))
'''
