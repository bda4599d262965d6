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

from chaos import from_file, report
from chaos.campaign import Campaign, chaos_timing
from chaos.driver import Driver
from chaos.errors import ChaosError, FaultRefused, UnknownFault, UnknownTest
from chaos.live import LiveView
from chaos.named import NAMED, name_of, play_named
from chaos.play import Played, play
from chaos.tour import LEAST_EXECUTORS, tour
from evidence.verdict import exit_code
from relayproof import report as reports
from relayproof.commands.chaos_campaign import again, names, refuse_beside
from relayproof.commands.chaos_campaign import campaign as asked_for
from relayproof.durations import seconds
from relayproof.errors import INTERRUPTED, CommandError, WrongUsage
from relayproof.relays import resolve
from relayproof.report import junit_xml
from scenarios.catalogue import Scenario
from scenarios.errors import UnknownWorld
from scenarios.profile import Profile
from sdk_matrix.errors import MatrixError

Names = Annotated[tuple[str, ...], Parameter(consume_multiple=False, negative="", show_default=False)]

DURATION = "30s"
"""Of faults where nothing is asked for: the whole run stays below 90 s."""
EXECUTORS = 3


def chaos(
    *,
    relay: str = "builtin:reference",
    sdk: Names = (),
    runtime: Literal["process", "docker"] = "process",
    database: Literal["sqlite", "postgresql"] | None = None,
    duration: str | None = None,
    executors: int | None = None,
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
        A profile's path, builtin:reference, builtin:broken/NAME, url:http://host:port, image:NAME, or cmd:COMMAND with
        {port}.
    sdk
        python, typescript, go, java; with a version: python==2.31.1. Several with commas, each in its own application.
        Default: python, or what a schedule file names. One SDK with a schedule file is taken for all its executors.
    runtime
        Where workers live: processes of this host, or containers.
    database
        Of the SDKs. Default: sqlite for Python alone where no fault needs more, else postgresql.
    duration
        Of the faults, such as 45s or 5m; healing and convergence come on top. Default: 30s, or what a schedule file or
        --every-fault takes.
    executors
        Of each SDK. Default: 3, or a schedule file's.
    seed
        Of the work and of the faults; printed, and in the history.
    faults
        Names, or the families processes, recovery, links, relay, database; "all": whatever this runtime can have.
    schedule
        A schedule file instead: its executors, faults, duration and timing. The simulator reads and writes the same
        files; what of one can't be played here is told, and refused where it is a fault or an executor.
    every_fault
        Each fault at least once for each SDK, one after the other with rests between, instead of a drawn mixture: what
        to run before a release. Takes some 11 minutes in Docker with four SDKs; with --faults a family takes 1 to 3.
    test
        Tests with a name instead, one after the other ("all": every one); `relayproof chaos --test list` names them.
        Each says itself who takes part and what strikes: of the other options only --relay, --runtime, --seed, --strict
        and --results go with it.
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
    seed = random.SystemRandom().randrange(2**31) if seed is None else seed
    line = again(
        relay, seed, sdk=sdk, runtime=runtime, database=database, duration=duration, executors=executors, faults=faults,
        schedule=schedule, every_fault=every_fault, grace=grace, rate=rate, strict=strict,
    )  # fmt: skip
    try:
        if test:
            refuse_beside(
                "--test", "each test says that itself", sdk=sdk, database=database, duration=duration,
                executors=executors, faults=faults, schedule=schedule, every_fault=every_fault, grace=grace, rate=rate,
            )  # fmt: skip
            return _named(test, relay, seed, results, runtime, strict)
        if schedule is not None:
            refuse_beside(
                "--schedule", "the file says who takes part and which faults strike when", duration=duration,
                executors=executors, faults=faults, every_fault=every_fault,
            )  # fmt: skip
        executors = EXECUTORS if executors is None else executors
        if every_fault:
            refuse_beside("--every-fault", "it takes as long as its faults do", duration=duration)
            _check_tour(executors)
        profile = resolve(relay)
        asked = faults or (("all",) if every_fault else ())
        campaign, grace_s = asked_for(
            sdk=sdk, runtime=runtime, database=database, rate=rate, executors=executors, seed=seed,
            duration_s=seconds("--duration", DURATION if duration is None else duration), asked=asked, file=schedule,
            grace=grace,
        )  # fmt: skip
        if campaign.schedule is not None:
            for line in from_file.left_out(campaign.schedule):
                console.print(f"{schedule}: {line}", style="yellow", highlight=False, markup=False, soft_wrap=True)
        if every_fault:
            campaign = tour(campaign, chaos_timing(profile, profile.timing_at("fast"), grace_s))
        played = asyncio.run(_played(profile, campaign, grace_s, results, relay, line, console))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None  # asked twice, or before anything ran: nothing is judged
    except (UnknownFault, FaultRefused) as problem:
        raise WrongUsage(f"--faults: {problem}") from problem
    except UnknownTest as problem:
        raise WrongUsage(f"--test: {problem}") from problem
    except MatrixError as problem:
        raise WrongUsage(f"--sdk: {problem}") from problem
    except (ChaosError, UnknownWorld) as problem:
        raise CommandError(str(problem)) from problem
    _report(played)
    print(f"seed {campaign.seed} · {played.folder}")
    print(f"report {played.folder / report.PAGE}")
    if played.interrupted:
        print("interrupted: this is about what was done until then")
        return INTERRUPTED
    return exit_code(played.result, strict)


def _report(played: Played) -> None:
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


async def _played(
    profile: Profile, campaign: Campaign, grace_s: float, results: Path, relay: str, line: str, console: Console
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
            given=relay, again=line, looked=view.show, started=drivers.append,
        )  # fmt: skip


def _check_tour(executors: int) -> None:
    if executors < LEAST_EXECUTORS:
        raise WrongUsage(f"--executors {executors}: --every-fault strikes two at once: give {LEAST_EXECUTORS} or more")


def _named(test: Sequence[str], relay: str, seed: int, results: Path, runtime: str, strict: bool) -> int:
    wanted = names(test)
    if not wanted:
        raise WrongUsage("--test: give a name, or all; `relayproof chaos --test list` names them")
    if wanted == ["list"]:
        for name, entry in NAMED.items():
            print(f"{name:<22} {' '.join(entry.clauses):<40} {entry.title}")
        return 0

    def line(entry: Scenario) -> str:
        return again(relay, seed, runtime=runtime, strict=strict, test=(name_of(entry),))

    played = asyncio.run(
        play_named(
            resolve(relay), wanted, seed=seed, results=results, runtime=runtime, given=relay, again=line,
            command=shlex.join(["relayproof", *sys.argv[1:]]),
        )
    )  # fmt: skip
    reports.write_all(played.result, played.folder)
    reports.terminal(played.result)
    print(f"seed {seed} · {played.folder}")
    return exit_code(played.result, strict)


app = App(name="chaos", help="Real SDKs at work, killed, paused and cut off: every workflow must end exactly once.")
app.default(chaos)
_IMAGES = "relayproof.commands.chaos_images"
app.command(f"{_IMAGES}:images", name="images", help="Build or list the images of the docker runtime.")
app.command(f"{_IMAGES}:probe", name="engine", help="Tell what the container engine can do.")
app.command(f"{_IMAGES}:sweep", name="sweep", help="Remove what runs of the suite left in the container engine.")
_FINDINGS = "relayproof.commands.chaos_findings"
app.command(f"{_FINDINGS}:findings", name="findings", help="Tell what SDKs get wrong by themselves, and how often.")
app.command(f"{_FINDINGS}:reproduce", name="reproduce", help="Measure how often an SDK gets something wrong.")
