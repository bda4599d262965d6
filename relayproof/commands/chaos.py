"""``relayproof chaos``: real SDKs at work on one relay, killed, paused, cut off; every workflow must end once."""

from __future__ import annotations

import asyncio
import random
import shlex
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from cyclopts import App, Parameter
from rich.console import Console

from chaos import faults, report
from chaos.campaign import FAMILIES, Campaign, chaos_timing
from chaos.driver import Driver
from chaos.errors import ChaosError, FaultRefused, UnknownFault
from chaos.live import LiveView
from chaos.named import NAMED, play_named
from chaos.play import Played, play
from chaos.tour import LEAST_EXECUTORS, tour
from evidence.verdict import exit_code
from relayproof import report as reports
from relayproof.durations import seconds
from relayproof.errors import INTERRUPTED, CommandError, WrongUsage
from relayproof.report import junit_xml
from scenarios import schedule as schedules
from scenarios.errors import UnknownWorld
from scenarios.profile import Profile
from scenarios.profile_loading import resolve
from scenarios.schedule import Schedule
from sdk_matrix.errors import MatrixError
from sdk_matrix.languages import Worker, parse

GRACE_S = 5.0
Names = Annotated[tuple[str, ...], Parameter(consume_multiple=False, negative="", show_default=False)]

QUICK_S = 30.0
"""Of faults where nothing is asked for: the whole run stays below 90 s."""


def chaos(
    *,
    relay: str = "builtin:reference",
    sdk: Names = ("python",),
    runtime: Literal["process", "docker"] = "process",
    database: Literal["sqlite", "postgresql"] | None = None,
    duration: str = "30s",
    executors: int = 3,
    seed: int | None = None,
    faults: Names = (),
    schedule: Path | None = None,
    every_fault: bool = False,
    test: Names = (),
    grace: str | None = None,
    rate: float | None = None,
    strict: bool = False,
    results: Path = Path("results"),
) -> int:
    """Prove a relay with real SDKs. Exit code 0 pass, 1 fail, 2 unknown, 3 harness error, 64 wrong usage.

    Without a flag: three executors of the Python SDK on SQLite, as processes, 30 s of kills and stops.

    Parameters
    ----------
    relay
        A profile's path, builtin:reference, builtin:broken/NAME, url:http://host:port, or cmd:COMMAND with {port}.
    sdk
        python, typescript, go, java; with a version: python==2.31.1. Several with commas, each in its own application.
    runtime
        Where workers live: processes of this host, or containers.
    database
        Of the SDKs. Default: sqlite for Python alone where no fault needs more, else postgresql.
    duration
        Of the faults, such as 45s or 5m; healing and convergence come on top.
    executors
        Of each SDK.
    seed
        Of the work and of the faults; printed, and in the history.
    faults
        Names, or the families processes, recovery, links, relay, database; "all": whatever this runtime can have.
    schedule
        A schedule file instead: its executors, faults and duration. The simulator reads the same files.
    every_fault
        Each fault at least once for each SDK, one after the other with rests between, instead of a drawn mixture: what
        to run before a release. Takes some 9 minutes; with --faults a family takes 2 or 3.
    test
        Tests with a name instead, one after the other ("all": every one); `relayproof chaos --test list` names them.
    grace
        A builtin relay's grace period. Default: the schedule file's, else 5s; another relay's is in its profile.
    rate
        Workflows that are started in a second, of each SDK. Default: 4 for one or two SDKs, else 8 in all.
    strict
        A SHOULD that isn't met fails too.
    results
        Where the run's folder goes.
    """
    console = Console(stderr=True)
    try:
        profile = resolve(relay)
        if test:
            return _named(test, profile, _seed(seed), results, runtime)
        if every_fault:
            _check_tour(schedule, executors)
        asked = faults or (("all",) if every_fault else ())
        campaign = _campaign(
            sdk, runtime, database, seconds("--duration", duration), executors, _seed(seed), asked, schedule, rate
        )
        grace_s = _grace_s(grace, campaign.schedule)
        if every_fault:
            campaign = tour(campaign, chaos_timing(profile, profile.timing_at("fast"), grace_s))
        played = asyncio.run(_played(profile, campaign, grace_s, results, relay, console))
    except (UnknownFault, FaultRefused) as problem:
        raise WrongUsage(f"--faults: {problem}") from problem
    except MatrixError as problem:
        raise WrongUsage(f"--sdk: {problem}") from problem
    except (ChaosError, UnknownWorld) as problem:
        raise CommandError(str(problem)) from problem
    summary = _report(played)
    print(f"seed {campaign.seed} · {played.folder}")
    print(f"report {played.folder / report.PAGE}")
    if played.interrupted:
        print("interrupted: this is about what was done until then")
        return INTERRUPTED
    return report.status(played.result, summary, strict)


def _report(played: Played) -> report.Summary | None:
    """The page, Markdown, JUnit and the verdicts, into the run's folder; the summary to the terminal."""
    summary = report.summarize(played.history) if played.history is not None else None
    result = played.result
    texts = {
        report.PAGE: report.page(result, played.history, summary).encode(),
        report.MARKDOWN: report.markdown(result, summary).encode(),
        "junit.xml": junit_xml(report.by_clause(result)),
        "verdicts.json": msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n",
    }
    for name, text in texts.items():
        (played.folder / name).write_bytes(text)
    report.print_run(result, summary)
    return summary


async def _played(
    profile: Profile, campaign: Campaign, grace_s: float, results: Path, relay: str, console: Console
) -> Played:
    """The first Ctrl-C ends the faults, heals, and judges what was done; the second ends the run at once."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    drivers: list[Driver] = []
    assert task is not None

    def interrupt() -> None:
        if drivers and not drivers[0].interrupted:
            console.print(
                "interrupted: healing, then judging what was done; Ctrl-C again stops at once", style="yellow"
            )
            drivers[0].interrupt()
        else:
            task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupt)
    with LiveView(console, campaign) as view:
        return await play(
            profile, campaign, grace_s=grace_s, results=results, command=shlex.join(["relayproof", *sys.argv[1:]]),
            given=relay, looked=view.show, started=drivers.append,
        )  # fmt: skip


def _campaign(
    sdk: Sequence[str], runtime: str, database: str | None, duration_s: float, executors: int, seed: int,
    asked: Sequence[str], file: Path | None, rate: float | None,
) -> Campaign:  # fmt: skip
    if executors < 2:
        raise WrongUsage(f"--executors {executors}: give 2 or more: a lone executor has nobody to recover it")
    if rate is not None and rate <= 0:
        raise WrongUsage(f"--rate {rate}: give a number above 0")
    schedule = schedules.read(file) if file is not None else None
    if runtime == "docker":
        import chaos.docker.faults  # noqa: F401 - registers what only containers can have
    workers = _workers(sdk, schedule, runtime)
    wanted = [at.fault for at in schedule.faults] if schedule is not None else _names(asked)
    store = database or _store(workers, wanted, runtime)
    if store == "sqlite" and [each.language for each in workers] != ["python"]:
        raise WrongUsage("--database sqlite: only the Python SDK runs on SQLite; take postgresql for the others")
    chosen = _faults(wanted, runtime, store)
    rate_per_s = rate or min(4.0, 8.0 / len(workers))
    return Campaign(
        workers=workers, executors=executors, duration_s=schedule.duration_s if schedule is not None else duration_s,
        seed=seed, faults=chosen, store=store, schedule=schedule, rate_per_s=rate_per_s, runtime=runtime,
    )  # fmt: skip


def _check_tour(schedule: Path | None, executors: int) -> None:
    if schedule is not None:
        raise WrongUsage("--every-fault and --schedule: either says which faults strike when: leave one out")
    if executors < LEAST_EXECUTORS:
        raise WrongUsage(f"--executors {executors}: --every-fault strikes two at once: give {LEAST_EXECUTORS} or more")


def _workers(sdk: Sequence[str], schedule: Schedule | None, runtime: str) -> tuple[Worker, ...]:
    names = _names(sdk)
    if schedule is not None:
        names = list(dict.fromkeys(member.language for member in schedule.executors))
    workers = tuple(parse(name) for name in names)
    for each in workers if runtime == "process" else ():  # images have what they need inside
        each.build()
        each.check()
    return workers


def _store(workers: Sequence[Worker], asked: Sequence[str], runtime: str) -> str:
    """SQLite where it is enough: it needs no server."""
    if runtime != "process" or [each.language for each in workers] != ["python"]:
        return "postgresql"
    possible = set(faults.names("process", "sqlite"))
    return "sqlite" if all(name in possible for name in asked) else "postgresql"


def _faults(asked: Sequence[str], runtime: str, store: str) -> tuple[str, ...]:
    if not asked:
        return ("kill", "stop") if store == "sqlite" else ("kill", "kill-at-step", "pause", "stop")
    names: list[str] = []
    for name in asked:
        if name == "all":
            names += faults.names(runtime, store)
        elif name in FAMILIES:
            names += [each for each in FAMILIES[name] if each in faults.names(runtime, store)]
        else:
            names.append(faults.check(name, runtime, store).name)
    return tuple(dict.fromkeys(names))


def _grace_s(asked: str | None, schedule: Schedule | None) -> float:
    if asked is not None:
        return seconds("--grace", asked)
    return float(schedule.timing.get("grace_s", GRACE_S)) if schedule is not None else GRACE_S


def _named(test: Sequence[str], profile: Profile, seed: int, results: Path, runtime: str) -> int:
    names = _names(test)
    if names == ["list"]:
        for name, entry in NAMED.items():
            print(f"{name:<22} {' '.join(entry.clauses):<40} {entry.title}")
        return 0
    command = shlex.join(["relayproof", *sys.argv[1:]])
    played = asyncio.run(play_named(profile, names, seed=seed, results=results, runtime=runtime, command=command))
    reports.write_all(played.result, played.folder)
    reports.terminal(played.result)
    print(f"seed {seed} · {played.folder}")
    return exit_code(played.result)


def _names(texts: Sequence[str]) -> list[str]:
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]


def _seed(seed: int | None) -> int:
    return random.SystemRandom().randrange(2**31) if seed is None else seed


app = App(name="chaos", help="Real SDKs at work, killed, paused and cut off: every workflow must end exactly once.")
app.default(chaos)
_IMAGES = "relayproof.commands.chaos_images"
app.command(f"{_IMAGES}:images", name="images", help="Build or list the images of the docker runtime.")
app.command(f"{_IMAGES}:probe", name="engine", help="Tell what the container engine can do.")
app.command(f"{_IMAGES}:sweep", name="sweep", help="Remove what runs of the suite left in the container engine.")
_FINDINGS = "relayproof.commands.chaos_findings"
app.command(f"{_FINDINGS}:findings", name="findings", help="Tell what SDKs get wrong by themselves, and how often.")
app.command(f"{_FINDINGS}:reproduce", name="reproduce", help="Measure how often an SDK gets something wrong.")
