"""Starts a sweep or resumes it, shows how far it is, and joins the results when every shard has one."""

from __future__ import annotations

import fcntl
import hashlib
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import msgspec
from dbos import DBOSClient, EnqueueOptions

from relayproof.errors import CommandError, WrongUsage
from relayproof.sweep.application import APPLICATION, QUEUE, WORKFLOW, code_version, database_url
from relayproof.sweep.children import Child, start_relay, start_worker
from relayproof.sweep.jobs import Job

__all__ = ["Plan", "Progress", "ShardFailed", "sweep"]

LOOK_S = 0.5
_ENDED = ("SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")
MOST_RESTARTS = 20
"""Of the only worker on SQLite: a shard that kills its worker each time must not be tried for ever."""


class ShardFailed(CommandError):
    """A shard ended without a result: an error of the suite itself."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to sweep and with what. ``workers`` on this machine, each of ``processes`` processes."""

    job: Job
    arguments: Mapping[str, Any]
    results: Path
    name: str | None = None
    database: str | None = None  # None: SQLite in the sweep's folder
    relay_url: str | None = None  # PostgreSQL: None starts the reference relay here
    key: str | None = None
    workers: int = 1
    processes: int = 2

    @property
    def id(self) -> str:
        """The same for the same command and the same code: that is how a sweep resumes."""
        what = msgspec.json.encode([self.job.name, dict(self.arguments), code_version()], order="sorted")
        return f"{self.name or self.job.name}-{hashlib.sha256(what).hexdigest()[:10]}"


@dataclass(slots=True)
class Progress:
    """What a sweep shows while it goes on."""

    shards: int = 0
    ended: int = 0
    resumed: int = 0  # that had ended before this start
    said: list[str] = field(default_factory=list)


def sweep(plan: Plan, show: Callable[[Progress], None]) -> tuple[dict[str, Any], list[str]]:
    """Run it to its end; give the joined result, and what the job has to tell of files that it left.

    The result is also written to ``result.json`` in the sweep's folder.

    Raises `WrongUsage` where the same sweep already runs from this folder, `ShardFailed` where a shard has no result.
    """
    shards = plan.job.shards(plan.arguments)
    folder = plan.results / f"sweep-{plan.id}"
    folder.mkdir(parents=True, exist_ok=True)
    database = database_url(plan.database, folder)
    with ExitStack() as stack:
        stack.enter_context(_lock(folder))
        crew = stack.enter_context(_Crew(plan, folder, database))
        client = DBOSClient(system_database_url=database, application_name=APPLICATION)
        stack.callback(client.destroy)
        ids = [f"{plan.id}-{number:06d}" for number in range(len(shards))]
        progress = Progress(shards=len(shards))
        known = _statuses(client, plan.id)
        progress.resumed = progress.ended = sum(known.get(id) in _ENDED for id in ids)
        show(progress)
        for id, shard in zip(ids, shards, strict=True):
            if id not in known:
                _enqueue(client, id, plan.job.name, shard)
        while progress.ended < len(ids):
            time.sleep(LOOK_S)
            statuses = _statuses(client, plan.id)
            progress.ended = sum(statuses.get(id) in _ENDED for id in ids)
            progress.said = crew.look()
            show(progress)
        joined = plan.job.join(_results(client, plan.id, ids))
    (folder / "result.json").write_bytes(msgspec.json.format(msgspec.json.encode(joined), indent=1) + b"\n")
    return joined, plan.job.keep(joined, folder)


def _enqueue(client: DBOSClient, id: str, job: str, shard: dict[str, Any]) -> None:
    options = EnqueueOptions(
        workflow_name=WORKFLOW, queue_name=QUEUE, workflow_id=id, app_version=code_version(),
        application_name=APPLICATION,
    )  # fmt: skip
    client.enqueue(options, job, shard)


def _statuses(client: DBOSClient, sweep_id: str) -> dict[str, str]:
    rows = client.list_workflows(workflow_id_prefix=f"{sweep_id}-", load_input=False, load_output=False)
    return {row.workflow_id: row.status for row in rows}


def _results(client: DBOSClient, sweep_id: str, ids: list[str]) -> list[dict[str, Any]]:
    rows = {row.workflow_id: row for row in client.list_workflows(workflow_id_prefix=f"{sweep_id}-", load_input=False)}
    results = []
    for id in ids:
        result = rows[id].output
        if rows[id].status != "SUCCESS" or result is None:
            raise ShardFailed(
                f"shard {id} ended as {rows[id].status}: {rows[id].error!r}; mend its cause and give the sweep"
                " another --name to compute everything anew"
            )
        results.append(result)
    return results


class _Crew:
    """The processes of this machine that work on a sweep."""

    def __init__(self, plan: Plan, folder: Path, database: str) -> None:
        self._plan, self._folder, self._database = plan, folder, database
        self._relay: Child | None = None
        self._relay_url, self._key = plan.relay_url, plan.key
        self._workers: list[Child] = []
        self._restarts = 0
        self._lost = 0

    def __enter__(self) -> _Crew:
        try:
            if self._plan.database is not None and self._relay_url is None:
                relay = start_relay(self._folder)
                self._relay, self._relay_url, self._key = relay, relay.url, relay.key
            for _ in range(self._plan.workers):  # one after the other: the first makes the tables
                self._workers.append(self._worker())
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for child in [*self._workers, *([self._relay] if self._relay else [])]:
            with suppress(ProcessLookupError):
                child.stop()

    def look(self) -> list[str]:
        """What is to be said of workers that died. On SQLite the only one is started again."""
        dead = [worker for worker in self._workers if not worker.alive]
        for worker in dead:
            self._workers.remove(worker)
            self._lost += 1
            if self._plan.database is None:
                self._restarts += 1
                if self._restarts > MOST_RESTARTS:
                    raise ShardFailed(f"the worker died {self._restarts} times: see {self._folder / 'workers.log'}")
                self._workers.append(self._worker())
        said = [f"{self._lost} workers of this machine died"] if self._lost else []
        if not self._workers:
            said.append("no worker is left here: start relayproof sweep-worker, here or elsewhere")
        return said

    def _worker(self) -> Child:
        worker = start_worker(self._folder, self._database, self._relay_url, self._key, self._plan.processes)
        if (theirs := worker.ready["version"]) != code_version():
            worker.stop()
            raise ShardFailed(
                f"the code changed while the sweep ran: this command has {code_version()}, its worker {theirs}, which"
                " takes none of its shards; start the sweep again"
            )
        return worker


def _lock(folder: Path) -> IO[bytes]:
    """One coordinator a folder; the lock goes with the process."""
    file = (folder / "lock").open("wb")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise WrongUsage(f"this sweep already runs from {folder}: wait for it, or give another --name") from None
    return file
