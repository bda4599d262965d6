"""Workers as processes of this host.

Each leads a process group of its own, which is killed when the runtime is swept and, by an exit hook, when the
interpreter ends. If the harness itself is killed, each worker sees its standard input end and exits by itself.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import signal
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path

from chaos.errors import CommandRefused, LaunchFailed, WorkerGone
from sdk_matrix.contract import (
    Alert,
    Command,
    Config,
    Done,
    Ready,
    Refused,
    Report,
    Start,
    Started,
    Stop,
    Stopped,
    Template,
    Unsupported,
    encode,
    read_report,
)
from sdk_matrix.languages import Worker

__all__ = ["Process", "ProcessRuntime"]

_REPORT_S = 30.0  # how long a live worker may take for one report
_LAUNCH_S = 120.0  # and for its first one: on a loaded host Java's start takes over half a minute (measured)
_POLL_S = 0.02
_PERIOD_S = 0.1

_all: weakref.WeakSet[Process] = weakref.WeakSet()


@atexit.register
def _kill_all() -> None:
    for process in tuple(_all):
        with contextlib.suppress(RuntimeError):  # its event loop is closed: the process is killed, its pipe can't be
            process.kill()


class Process:
    """One worker. Its reports end when it ends: that is how its end is seen."""

    def __init__(
        self, label: str, reports: asyncio.StreamReader, commands: asyncio.StreamWriter, log: Path, pid: int = 0
    ) -> None:
        self.label = label
        self.executor = ""
        self.sdk_version = ""
        self.unsupported: Mapping[str, str] = {}
        self.pid = pid  # 0 until a forked worker has told its own
        self._reports = reports
        self._commands = commands
        self._log = log
        self._lock = asyncio.Lock()
        self._killed = False
        self._starving: asyncio.Task[None] | None = None
        self.alerts: list[Alert] = []
        _all.add(self)

    @property
    def alive(self) -> bool:
        return not self._killed and not self._reports.at_eof()

    async def ready(self) -> Process:
        """Raises `LaunchFailed`."""
        try:
            report = await self._report(_LAUNCH_S)
        except WorkerGone as problem:
            raise LaunchFailed(f"worker {self.label} did not become ready: {problem}\n{self.log_end()}") from None
        if not isinstance(report, Ready):
            raise LaunchFailed(f"worker {self.label} said {report!r} before it was ready\n{self.log_end()}")
        self.executor, self.pid = report.executor_id, report.pid
        self.sdk_version, self.unsupported = report.sdk_version, report.unsupported
        return self

    async def start(self, command: Start) -> None:
        await self.do(command)

    async def do(self, command: Command) -> None:
        async with self._lock:  # one command, one answer
            await self._command(command)
            report = await self._report()
        match report:
            case Started() | Done():
                return
            case Refused(error=error):
                raise CommandRefused(f"worker {self.label}: {_about(command)}: {error}")
            case Unsupported(what=what, reason=reason):
                raise CommandRefused(f"worker {self.label} has no {what}: {reason}")
        raise WorkerGone(f"worker {self.label} answered {_about(command)} with {report!r}")

    def kill(self) -> None:
        if self.alive and self.pid:
            self._killed = True
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
        self._commands.close()  # ends one that has not told its number yet, as soon as it reads

    def pause(self) -> None:
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def starve(self, share: float) -> None:
        """By stopping it for most of each tenth of a second: needs no control group and no privilege."""
        if self._starving is not None:
            self._starving.cancel()
            self._starving = None
            self.resume()
        if share < 1.0:
            self._starving = asyncio.create_task(self._starve(share))

    async def _starve(self, share: float) -> None:
        while self.alive:
            self.pause()
            await asyncio.sleep(_PERIOD_S * (1 - share))
            self.resume()
            await asyncio.sleep(_PERIOD_S * share)

    def _signal(self, number: signal.Signals) -> None:
        if self.alive and self.pid:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, number)

    async def stop(self) -> None:
        async with self._lock:
            await self._command(Stop())
            if not isinstance(report := await self._report(), Stopped):
                raise WorkerGone(f"worker {self.label} answered the stop with {report!r}")
            await self.ended()

    async def ended(self) -> None:
        with contextlib.suppress(OSError):
            await self._reports.read()

    def log_end(self, lines: int = 15) -> str:
        text = self._log.read_text(errors="replace") if self._log.exists() else ""
        return "\n".join(text.splitlines()[-lines:])

    async def _command(self, command: Command) -> None:
        self._commands.write(encode(command) + b"\n")
        try:
            await self._commands.drain()
        except OSError:
            raise WorkerGone(f"worker {self.label} has ended and takes no command") from None

    async def _report(self, within_s: float = _REPORT_S) -> Report:
        """The next answer; alerts come unasked in between."""
        while isinstance(report := await self._line(within_s), Alert):
            self.alerts.append(report)
        return report

    async def _line(self, within_s: float) -> Report:
        try:
            line = await asyncio.wait_for(self._reports.readline(), within_s)
        except TimeoutError:
            raise WorkerGone(f"worker {self.label} reported nothing for {within_s:g} s") from None
        except OSError:
            line = b""
        if not line:
            raise WorkerGone(f"worker {self.label} has ended")
        return read_report(line)


def _about(command: Command) -> str:
    subject = getattr(command, "workflow", getattr(command, "schedule", ""))
    return f"{type(command).__name__.lower()} {subject}".strip()


def _place_of_sockets() -> str | None:
    """None: the usual place; /tmp where a socket's path there would be longer than a system takes (104 bytes)."""
    usual = os.fsencode(tempfile.gettempdir())
    return None if len(usual) + len("/relayproof-12345678/typescript.new") < 104 else "/tmp"


class ProcessRuntime:
    """See `Runtime`."""

    name = "process"
    host = "127.0.0.1"

    def __init__(self) -> None:
        self._processes: list[Process] = []
        self._children: list[asyncio.subprocess.Process] = []
        self._templates: dict[str, asyncio.Task[Path]] = {}
        self._folder = tempfile.TemporaryDirectory(prefix="relayproof-", dir=_place_of_sockets())

    def prepare(self, worker: Worker) -> None:
        """Begin to load the SDK, for workers that fork; `launch` waits for it."""
        if worker.forks and worker.language not in self._templates:
            self._templates[worker.language] = asyncio.create_task(self._template(worker))

    async def launch(self, worker: Worker, config: Config, folder: Path) -> Process:
        worker.check()
        settings, log = folder / f"{config.executor}.json", folder / f"{config.executor}.log"
        settings.touch(mode=0o600)
        settings.write_bytes(encode(config))
        try:
            process = await (self._forked if worker.forks else self._spawned)(worker, config.executor, settings, log)
            return await process.ready()
        finally:
            settings.unlink()  # it holds the key, and the folder outlives the run

    async def sweep(self) -> None:
        for template in self._templates.values():
            template.cancel()
        for process in self._processes:
            process.kill()
        for child in self._children:
            if child.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)
            await child.wait()
        for process in self._processes:
            await process.ended()
        self._folder.cleanup()

    async def _forked(self, worker: Worker, label: str, settings: Path, log: Path) -> Process:
        self.prepare(worker)
        path = await asyncio.shield(self._templates[worker.language])
        reports, commands = await asyncio.open_unix_connection(path)
        commands.write(encode(Template(config=str(settings), log=str(log))) + b"\n")
        process = Process(label, reports, commands, log)
        self._processes.append(process)
        return process

    async def _spawned(self, worker: Worker, label: str, settings: Path, log: Path) -> Process:
        child = await self._child((*worker.command, str(settings)), log, reports=True)
        assert child.stdin is not None and child.stdout is not None
        process = Process(label, child.stdout, child.stdin, log, child.pid)
        self._processes.append(process)
        return process

    async def _template(self, worker: Worker) -> Path:
        """Start the template; returns its socket's path once it listens. Raises `LaunchFailed`."""
        path, log = Path(self._folder.name) / worker.language, Path(self._folder.name) / f"{worker.language}.log"
        child = await self._child((*worker.command, "--template", str(path)), log, reports=False)
        waited_s = 0.0
        while not path.exists():
            if child.returncode is not None or waited_s > _REPORT_S:
                raise LaunchFailed(f"the {worker.language} SDK did not load\n{log.read_text(errors='replace')}")
            await asyncio.sleep(_POLL_S)
            waited_s += _POLL_S
        return path

    async def _child(self, command: tuple[str, ...], log: Path, *, reports: bool) -> asyncio.subprocess.Process:
        with log.open("wb") as errors:
            child = await asyncio.create_subprocess_exec(
                *command, stdin=asyncio.subprocess.PIPE, stderr=errors, start_new_session=True,
                stdout=asyncio.subprocess.PIPE if reports else errors,
            )  # fmt: skip
        self._children.append(child)
        return child
