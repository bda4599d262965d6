"""Where one SDK version is probed: the scripted relay, databases of its own, and worker processes that come and go."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import psycopg

from sdk_matrix.contract import Alert, Command, Config, Queue, Ready, Report, encode, read_report
from sdk_matrix.errors import MatrixError
from sdk_matrix.languages import Worker
from sdk_matrix.matrix.model import Frame
from sdk_matrix.probes.link import Link
from sdk_matrix.probes.relay import Door, ScriptedRelay

__all__ = ["ANSWER_S", "Bench", "Executor", "ProbeFailed"]

T = TypeVar("T")
LAUNCH_S = 180.0  # a runtime's start on a loaded host
ANSWER_S = 20.0  # for an answer that comes at all
_LOOK_S = 0.1
_FRAMES = 14  # of a cell's evidence, its first and last ones
QUEUES = (
    Queue("single", worker_concurrency=1, concurrency=1, polling_interval_s=0.2),
    Queue("wide", polling_interval_s=0.2),
)


class ProbeFailed(MatrixError):
    """A probe could not bring about what it wanted to look at; the text says what."""


class Executor:
    """One worker process and its door at the relay."""

    def __init__(self, label: str, process: asyncio.subprocess.Process, door: Door, log: Path) -> None:
        self.label, self.door = label, door
        self.alerts: list[Alert] = []
        self.ready: Ready
        self._process, self._log = process, log
        self._numbers = itertools.count(1)
        self._lock = asyncio.Lock()

    @property
    def id(self) -> str:
        return self.ready.executor_id

    @property
    def alive(self) -> bool:
        return self._process.returncode is None

    async def exited(self, within_s: float) -> int | None:
        """The exit code; None: it lives on."""
        with contextlib.suppress(TimeoutError):
            return await asyncio.wait_for(asyncio.shield(self._process.wait()), within_s)
        return None

    async def ask(self, command: Command) -> Report:
        """Give the worker a command; its answer. Raises `ProbeFailed`."""
        assert self._process.stdin is not None
        async with self._lock:
            self._process.stdin.write(encode(command) + b"\n")
            with contextlib.suppress(ConnectionError):
                await self._process.stdin.drain()
            return await self.report(120.0)

    async def report(self, within_s: float) -> Report:
        """The next answer on its standard output. Raises `ProbeFailed`."""
        assert self._process.stdout is not None
        while True:
            try:
                line = await asyncio.wait_for(self._process.stdout.readline(), within_s)
            except TimeoutError:
                raise ProbeFailed(f"worker {self.label} said nothing for {within_s:g} s") from None
            if not line:
                raise ProbeFailed(f"worker {self.label} has ended: {self.log_end()}")
            report = read_report(line)
            if not isinstance(report, Alert):
                return report
            self.alerts.append(report)

    async def link(self, within_s: float = 90.0) -> Link:
        """Its open connection, once there is one. Raises `ProbeFailed`."""
        try:
            return await self.door.connected(within_s)
        except TimeoutError:
            raise ProbeFailed(f"worker {self.label} did not connect within {within_s:g} s: {self.log_end()}") from None

    def request_id(self) -> str:
        return f"{self.label}-{next(self._numbers)}"

    async def request(self, kind: str, within_s: float = ANSWER_S, **fields: Any) -> dict[str, Any]:
        """Ask over the socket; raises `TimeoutError` and `ConnectionError`."""
        link = await self.link()
        return await link.request({"type": kind, "request_id": self.request_id(), **fields}, within_s)

    def mark(self) -> int:
        """A place in the record, for `since`."""
        return len(self.door.record)

    def since(self, mark: int) -> tuple[Frame, ...]:
        """What was recorded from a place on; of a long stretch the start and the end."""
        frames = self.door.record[mark:]
        half = _FRAMES // 2
        return tuple(frames if len(frames) <= _FRAMES else frames[:half] + frames[-half:])

    def signal(self, number: signal.Signals) -> None:
        if self.alive:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)

    async def kill(self) -> None:
        self.signal(signal.SIGKILL)
        await self._process.wait()

    def log_end(self) -> str:
        return self._log.read_text(errors="replace")[-400:] if self._log.exists() else ""


class Bench:
    """One lane of probes on one SDK version; its databases are shared by the processes that it launches."""

    def __init__(
        self, worker: Worker, relay: ScriptedRelay, system_url: str, evidence_url: str, folder: Path, name: str,
        launches: asyncio.Semaphore | None = None,
    ) -> None:  # fmt: skip
        """``launches``: so many at a time; a burst of them would hold up what others measure."""
        self.worker = worker
        self.version = worker.version
        self._relay, self._folder, self._name = relay, folder, name
        self.system_url, self._evidence_url = system_url, evidence_url
        self._executors: list[Executor] = []
        self._crew: list[Executor] = []
        self._launches = launches or asyncio.Semaphore(1)
        self._numbers = itertools.count(1)

    @property
    def language(self) -> str:
        return self.worker.language

    async def start(self, door: Callable[[Door], None] | None = None, **changes: Any) -> Executor:
        """Launch a worker and wait until its SDK is up; ``door`` sets the relay's script before it dials.

        ``changes`` are fields of `Config`. Raises `ProbeFailed`.
        """
        label = f"{self._name}{next(self._numbers)}"
        key = f"{label}-key"
        opened = self._relay.door(key)
        if door is not None:
            door(opened)
        given: dict[str, Any] = {
            "relay_url": self._relay.url, "key": key, "application": "matrix-app", "version": "v1",
            "system_database_url": self.system_url, "evidence_database": self._evidence_url,
            "executor": label, "queues": QUEUES,
        }  # fmt: skip
        settings, log = self._folder / f"{label}.json", self._folder / f"{label}.log"
        settings.write_bytes(encode(Config(**given | changes)))
        async with self._launches:
            with log.open("wb") as output:
                process = await asyncio.create_subprocess_exec(
                    *self.worker.command, str(settings), stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE, stderr=output, start_new_session=True, limit=1 << 22,
                )  # fmt: skip
            executor = Executor(label, process, opened, log)
            self._executors.append(executor)
            ready = await executor.report(LAUNCH_S)
        if not isinstance(ready, Ready):
            raise ProbeFailed(f"worker {label} said {ready!r} first")
        executor.ready = ready
        self.version = ready.sdk_version
        return executor

    @contextlib.asynccontextmanager
    async def executor(self, **changes: Any) -> AsyncIterator[Executor]:
        """A worker of one's own that is connected; killed afterwards."""
        executor = await self.start(**changes)
        try:
            await executor.link()
            yield executor
        finally:
            await executor.kill()

    async def crew(self, size: int) -> list[Executor]:
        """Connected workers that stay for the probes that follow in the lane: a launch costs seconds of a processor.

        Whoever takes them leaves them connected, and their doors open.
        """
        self._crew = [executor for executor in self._crew if executor.alive]
        if not self._crew:  # alone: migrations of a new database by two at once fail in some SDKs (measured)
            self._crew.append(await self.start())
        self._crew += await asyncio.gather(*(self.start() for _ in range(size - len(self._crew))))
        await asyncio.gather(*(executor.link() for executor in self._crew[:size]))
        return self._crew[:size]

    async def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Of the SDK's own database."""
        return await self._query(self.system_url, statement, values)

    async def step_runs(self, workflow: str) -> list[tuple[Any, ...]]:
        """step, attempt, executor label, phase of the workflow's evidence, in order."""
        statement = "SELECT step, attempt, executor, phase FROM relayproof.step_runs WHERE workflow = %s ORDER BY seq"
        return await self._query(self._evidence_url, statement, (workflow,))

    async def begun_at_s(self, workflow: str, label: str) -> float | None:
        """When this worker first began a step of the workflow, in seconds of the epoch."""
        statement = (
            "SELECT extract(epoch FROM min(at))::float8 FROM relayproof.step_runs"
            " WHERE workflow = %s AND executor = %s AND phase = 'begin'"
        )
        found = await self._query(self._evidence_url, statement, (workflow, label))
        return None if found[0][0] is None else float(found[0][0])

    async def workflow(self, workflow: str) -> Mapping[str, Any]:
        """Status, executor, attempts and queue of a workflow's row; empty where there is none."""
        columns = ("status", "executor_id", "recovery_attempts", "queue_name")
        statement = f"SELECT {', '.join(columns)} FROM dbos.workflow_status WHERE workflow_uuid = %s"
        found = await self.rows(statement, workflow)
        return dict(zip(columns, found[0], strict=True)) if found else {}

    async def status(self, workflow: str, *wanted: str, within_s: float = 60.0) -> str:
        """The workflow's status once it is one of these. Raises `ProbeFailed`."""

        async def look() -> str:
            found = str((await self.workflow(workflow)).get("status", ""))
            return found if found in wanted else ""

        return await self.until(look, f"{workflow} is {' or '.join(wanted)}", within_s)

    async def until(self, look: Callable[[], Awaitable[T]], what: str, within_s: float = 60.0) -> T:
        """Look again and again until it is truthy. Raises `ProbeFailed`."""
        deadline_s = time.monotonic() + within_s
        while not (found := await look()):
            if time.monotonic() > deadline_s:
                raise ProbeFailed(f"not within {within_s:g} s: {what}")
            await asyncio.sleep(_LOOK_S)
        return found

    async def clear(self) -> None:
        """End every worker that a probe left, but the crew."""
        for executor in self._executors:
            if executor not in self._crew:
                await executor.kill()
        self._executors = list(self._crew)

    async def close(self) -> None:
        """End the crew, too."""
        self._crew.clear()
        await self.clear()

    @staticmethod
    async def _query(url: str, statement: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
            cursor = await connection.execute(statement.encode(), values or None)
            return await cursor.fetchall() if cursor.description else []
