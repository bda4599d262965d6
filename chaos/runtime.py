"""Where workers live: the Protocol of a runtime, and the processes of this host as its first form.

Every worker is in a process group of its own, which is killed when the runtime is swept and, by an exit hook, when the
interpreter ends. If the harness itself is killed, each worker sees its standard input end and exits by itself.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import signal
import weakref
from collections import deque
from collections.abc import Collection
from pathlib import Path
from typing import Protocol, Self

from chaos.errors import LaunchFailed, WorkerGone
from sdk_matrix.contract import Config, Ready, Refused, Report, Start, Started, Stop, Stopped, encode, read_report
from sdk_matrix.languages import Worker

__all__ = ["Process", "ProcessRuntime", "Running", "Runtime"]

_REPORT_S = 30.0  # how long a live worker may take for one report; a loaded host needs seconds for a launch


class Running(Protocol):
    """A launched worker, wherever it runs."""

    label: str
    executor: str  # the id that its SDK made

    @property
    def alive(self) -> bool: ...

    async def start(self, command: Start) -> None:
        """Start a workflow; returns when the worker says that it did. Raises `WorkerGone`."""
        ...

    def kill(self) -> None:
        """SIGKILL, at once."""
        ...

    async def stop(self) -> None:
        """Shut down in good order, whatever still runs, and wait for the end."""
        ...


class Runtime(Protocol):
    """Launches workers and leaves none behind."""

    name: str
    faults: Collection[str]  # names of the faults that work here

    async def launch(self, worker: Worker, config: Config, folder: Path) -> Running:
        """Launch one and wait until its SDK is up. Raises `LaunchFailed` with the end of its log."""
        ...

    async def sweep(self) -> None:
        """Kill whatever still runs and wait for its end."""
        ...


_all: weakref.WeakSet[Process] = weakref.WeakSet()


@atexit.register
def _kill_all() -> None:
    for process in tuple(_all):
        process.kill()


class Process:
    """A worker as a process group of this host."""

    def __init__(self, label: str, child: asyncio.subprocess.Process, log: Path) -> None:
        self.label = label
        self.executor = ""
        self.pid = child.pid
        self._child = child
        self._log = log
        self._reports: deque[Report] = deque()
        self._lock = asyncio.Lock()
        _all.add(self)

    @property
    def alive(self) -> bool:
        return self._child.returncode is None

    async def ready(self) -> Self:
        try:
            report = await self._report()
        except WorkerGone as problem:
            raise LaunchFailed(f"worker {self.label} did not become ready: {problem}\n{self.log_end()}") from None
        if not isinstance(report, Ready):
            raise LaunchFailed(f"worker {self.label} said {report!r} before it was ready\n{self.log_end()}")
        self.executor = report.executor_id
        return self

    async def start(self, command: Start) -> None:
        async with self._lock:  # one command, one report
            await self._command(command)
            report = await self._report()
        if isinstance(report, Refused):
            raise WorkerGone(f"worker {self.label} could not start {command.workflow}: {report.error}")
        if not isinstance(report, Started):
            raise WorkerGone(f"worker {self.label} answered the start of {command.workflow} with {report!r}")

    def kill(self) -> None:
        if self.alive:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)

    async def stop(self) -> None:
        async with self._lock:
            await self._command(Stop())
            if not isinstance(report := await self._report(), Stopped):
                raise WorkerGone(f"worker {self.label} answered the stop with {report!r}")
            await self.ended()

    async def ended(self) -> None:
        await self._child.wait()

    def log_end(self, lines: int = 15) -> str:
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-lines:])

    async def _command(self, command: Start | Stop) -> None:
        assert self._child.stdin is not None
        self._child.stdin.write(encode(command) + b"\n")
        try:
            await self._child.stdin.drain()
        except ConnectionError:
            raise WorkerGone(f"worker {self.label} has ended and takes no command") from None

    async def _report(self) -> Report:
        assert self._child.stdout is not None
        try:
            line = await asyncio.wait_for(self._child.stdout.readline(), _REPORT_S)
        except TimeoutError:
            raise WorkerGone(f"worker {self.label} reported nothing for {_REPORT_S:g} s") from None
        if not line:
            raise WorkerGone(f"worker {self.label} ended with exit code {await self._child.wait()}")
        return read_report(line)


class ProcessRuntime:
    """Workers as processes of this host. On SQLite only faults that leave no lock behind are allowed."""

    name = "process"
    faults: Collection[str] = ("duplicate-recovery", "kill", "kill-after-ack", "stop")

    def __init__(self) -> None:
        self._processes: list[Process] = []

    async def launch(self, worker: Worker, config: Config, folder: Path) -> Process:
        worker.check()
        settings, log = folder / f"{config.executor}.json", folder / f"{config.executor}.log"
        settings.touch(mode=0o600)
        settings.write_bytes(encode(config))
        try:
            return await self._launched(worker, config.executor, settings, log)
        finally:
            settings.unlink()  # it holds the key, and the folder outlives the run

    async def _launched(self, worker: Worker, label: str, settings: Path, log: Path) -> Process:
        with log.open("wb") as errors:
            child = await asyncio.create_subprocess_exec(
                *worker.command, str(settings), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
                stderr=errors, start_new_session=True,
            )  # fmt: skip
        process = Process(label, child, log)
        self._processes.append(process)
        return await process.ready()

    async def sweep(self) -> None:
        for process in self._processes:
            process.kill()
        for process in self._processes:
            await process.ended()
        self._processes.clear()
