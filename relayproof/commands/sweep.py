"""``relayproof sweep`` and ``relayproof sweep-worker``: long searches as durable workflows."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from relayproof.errors import MissingPart, WrongUsage
from relayproof.sweep import jobs


def sweep(
    job: str = "",
    *arguments: str,
    name: str | None = None,
    database: str | None = None,
    relay: str | None = None,
    key: str | None = None,
    workers: int = 1,
    processes: int = 0,
    results: Path = Path("results"),
) -> int:
    """Cut a long job into shards, compute them as durable workflows, join the results.

    Without a job: list the jobs. Killed in the middle, the same command resumes it. Exit code 0, 1 when it found what
    should not be, or 3 when a shard had no result or all of them prove nothing.

    Parameters
    ----------
    job
        What to sweep: scenarios, simulate, study.
    arguments
        name=value each, as the job knows them.
    name
        Begins anew under this name instead of resuming an earlier sweep with the same arguments.
    database
        postgresql://user:password@host:port/database for workers on several machines; default: SQLite here.
    relay
        ws://host:port of the relay that watches the workers (PostgreSQL); default: the reference relay, started here.
    key
        Its key for executors.
    workers
        Workers on this machine; 0 with a database when all of them are elsewhere. SQLite has one.
    processes
        Processes of each worker; default: one a core.
    results
        The sweep's folder goes below it.
    """
    if not job:
        _list_jobs()
        return 0
    _need_dbos()
    from relayproof.sweep.application import hide_password
    from relayproof.sweep.coordinator import Plan, ShardFailed
    from relayproof.sweep.coordinator import sweep as run

    if database is None and (workers != 1 or relay or key):
        raise WrongUsage("--workers, --relay and --key need --database: SQLite has one worker, watched by this command")
    if (relay is None) != (key is None):
        raise WrongUsage("--relay and --key belong together: give both, or none for a relay of this command's own")
    if relay is None and database is not None and workers == 0:
        raise WrongUsage("--workers 0 needs --relay and --key: workers elsewhere can't reach a relay on loopback")
    found = jobs.find(job)
    plan = Plan(
        job=found, arguments=_values(arguments), results=results, name=name, database=database, relay_url=relay,
        key=key, workers=workers, processes=processes or os.cpu_count() or 1,
    )  # fmt: skip
    console = Console(stderr=True)
    console.print(f"sweep {plan.id} on {hide_password(database or 'SQLite')}", highlight=False)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("shards"), TimeElapsedColumn(), TimeRemainingColumn())
    try:
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task("shards", total=None)
            said: set[str] = set()

            def show(progress: Any) -> None:
                bar.update(task, total=progress.shards, completed=progress.ended)
                if progress.resumed and "resumed" not in said:
                    said.add("resumed")
                    console.print(f"resumed: {progress.resumed} of {progress.shards} shards had ended", highlight=False)
                for line in progress.said:
                    if line not in said:
                        said.add(line)
                        console.print(line, style="yellow", highlight=False)

            result, kept = run(plan, show)
    except KeyboardInterrupt:
        console.print("interrupted; the same command resumes it", highlight=False)
        raise
    except ShardFailed as problem:
        console.print(str(problem), style="red", highlight=False, markup=False)
        return problem.exit_code
    for sentence in kept:
        console.print(sentence, highlight=False, markup=False, soft_wrap=True)
    print(json.dumps(result, indent=1))
    return found.exit_code(result)


def sweep_worker(
    *, database: str | None = None, relay: str | None = None, key: str | None = None, processes: int = 0
) -> int:
    """Compute shards of sweeps on this database until told to stop (SIGTERM, Ctrl-C).

    Parameters
    ----------
    database
        The sweep's system database, as given to ``relayproof sweep``; default: $RELAYPROOF_SWEEP_DATABASE.
    relay
        ws://host:port of the relay that watches the workers.
    key
        Its key for executors; default: $RELAYPROOF_SWEEP_KEY.
    processes
        Processes that compute; default: one a core.
    """
    _need_dbos()
    from relayproof.sweep.application import DATABASE_VARIABLE, KEY_VARIABLE
    from relayproof.sweep.worker import work

    database = database or os.environ.get(DATABASE_VARIABLE)
    if database is None:
        raise WrongUsage(f"sweep-worker needs the sweep's database: --database or ${DATABASE_VARIABLE}")
    key = key or os.environ.get(KEY_VARIABLE)
    if relay is not None and key is None:
        raise WrongUsage(f"--relay needs its key: --key or ${KEY_VARIABLE}")
    return work(database=database, relay_url=relay, key=key, processes=processes or os.cpu_count() or 1)


def _list_jobs() -> None:
    table = Table("job", "what it sweeps", "arguments")
    for each in map(jobs.find, jobs.JOBS):
        table.add_row(each.name, each.purpose, ", ".join(f"{name}=" for name in each.arguments))
    Console().print(table)


def _need_dbos() -> None:
    try:
        import dbos  # noqa: F401
    except ImportError as missing:
        raise MissingPart("sweeps run as DBOS workflows: pip install 'relayproof[real]'") from missing


def _values(arguments: tuple[str, ...]) -> dict[str, Any]:
    values = {}
    for each in arguments:
        name, sign, value = each.partition("=")
        if not (name and sign):
            raise WrongUsage(f"{each!r} is not name=value")
        values[name] = value
    return values
