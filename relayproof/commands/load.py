"""``relayproof load``: a headless load test against the relay of a profile."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

from conductor.timing import DOCUMENTED
from load.headless import Row, run
from load.place import LoadError, Place
from relayproof.errors import CommandError, WrongUsage
from relayproof.relays import resolve
from scenarios import targets

DURATION = re.compile(r"(\d+(?:\.\d+)?)(s|m)?")


def load(
    *, relay: str = "builtin:reference", executors: int = 200, duration: str = "30s", results: Path = Path("results")
) -> int:
    """Connect executors and call the management API; Locust's statistics, times in milliseconds.

    Exit code 0: every kind of request was made and none failed; 1: some failed or were never made.

    Parameters
    ----------
    relay
        As for conform.
    executors
        How many executors stay connected; one API user comes with each nine of them.
    duration
        Such as 30s or 2m.
    results
        Where the run's folder goes.
    """
    seconds = _seconds(duration)
    if executors < 1:
        raise WrongUsage(f"--executors {executors}: give 1 or more")
    folder = results / f"{datetime.now(UTC):%Y%m%dT%H%M%S}-load"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        rows = asyncio.run(_loaded(relay, executors, seconds, folder))
    except LoadError as problem:
        raise CommandError(str(problem)) from problem
    _print(rows, folder)
    names = {row.name for row in rows if row.requests > row.failures}
    complete = {"handshake", "time to HEALTHY", "list executors", "list workflows", "get workflow"} <= names
    return 0 if complete and not any(row.failures for row in rows) else 1


async def _loaded(relay: str, executors: int, seconds: float, folder: Path) -> list[Row]:
    profile = resolve(relay)
    target = targets.make(profile, DOCUMENTED, folder, "load")
    try:
        await target.start()
        tenant = target.tenants[0]
        app = tenant.applications[0] if tenant.applications else "load"
        place = Place(target.url, tenant.name, app, tenant.api_token, tenant.socket_key, pace_s=1.0)
        return await run(place, executors=executors, duration_s=seconds, folder=folder)
    finally:
        await target.close()


def _seconds(duration: str) -> float:
    match = DURATION.fullmatch(duration)
    if match is None or float(match[1]) <= 0:
        raise WrongUsage(f"--duration {duration}: give seconds or minutes, such as 30s or 2m")
    return float(match[1]) * (60 if match[2] == "m" else 1)


def _print(rows: list[Row], folder: Path) -> None:
    table = Table(title="load, times in ms")
    table.add_column("request")
    for column in ("count", "failed", "median", "95 %", "worst"):
        table.add_column(column, justify="right")
    for row in rows:
        figures = (row.median_ms, row.p95_ms, row.worst_ms)
        table.add_row(row.name, str(row.requests), str(row.failures), *(f"{figure:.0f}" for figure in figures))
    console = Console()
    console.print(table)
    console.print(f"Locust's own files: {folder}")
