"""A relay as a process of the suite's own, in a process group that never outlives it."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import shlex
import signal
import socket
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

import msgspec

from scenarios.errors import TargetError
from scenarios.profile import Organisation, Profile
from scenarios.targets import marks
from scenarios.targets.forking import Running, fork
from scenarios.targets.lifetime import die_with_parent
from scenarios.targets.ready import wait_until_ready
from scenarios.targets.scratch import Scratch

STOP_WAIT_S = 5.0
"""How long a relay may take to end after SIGTERM before SIGKILL."""
_LOG_TAIL_LINES = 15
_LOG_TAIL_BYTES = 1 << 14
"""A relay that prints without end writes gigabytes before it is given up."""

_groups: dict[int, str] = {}
"""Of each relay that runs: its process group and its mark."""


@atexit.register
def kill_groups() -> None:
    """The last resort: whatever ended the suite, no relay stays behind."""
    for group, mark in tuple(_groups.items()):
        _kill(group, mark)


class ProcessTarget:
    """See `scenarios.targets.Target`. ``command`` makes the argument list from port and data directory.

    ``announces``: the process takes port 0 and prints one JSON line ``{"event": "ready", "port": N}`` on stdout.
    Otherwise it is given a free port and is ready when it answers there. ``preload``: what a fork server imports for
    a command that begins like ``python -m MODULE``; nothing for a process that starts the usual way.
    """

    def __init__(
        self, *, instance: str, command: Callable[[int, Path], Sequence[str]], log_path: Path, base: str,
        ready_s: float, tenants: Sequence[Organisation], environment: Mapping[str, str], announces: bool,
        preload: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self.instance = instance
        self.tenants = tenants
        self._command = command
        self._log_path = log_path
        self._base = base
        self._ready_s = ready_s
        self._mark = "" if announces else marks.fresh()  # the suite's own relays start nothing
        self._environment = {**os.environ, **environment, **({marks.NAME: self._mark} if self._mark else {})}
        self._announces = announces
        self._preload = preload
        self._port = 0 if announces else free_port()
        self._data: Scratch | None = None
        self._process: Running | None = None
        self._draining: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}{self._base}"

    async def start(self) -> None:
        if self._data is None:
            self._data = Scratch("relay", _memory_folder())
            self._log_path.parent.mkdir(parents=True, exist_ok=True)
        arguments = list(self._command(self._port, self._data.path))
        try:
            async with asyncio.timeout(self._ready_s):
                with self._log_path.open("ab") as log:
                    try:
                        self._process = await self._begun(arguments, log)
                    except OSError as problem:
                        raise TargetError(
                            f"the relay can't be started: {arguments[0]}: {problem.strerror}"
                        ) from problem
                _groups[self._process.pid] = self._mark
                await self._until_ready(self._process)
        except TimeoutError:
            await self.kill()
            raise TargetError(
                f"the relay did not answer at {self.url} within {self._ready_s:g} s of its start", self._tail()
            ) from None

    async def stop(self) -> None:
        if (process := self._running()) is None:
            return
        process.terminate()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_WAIT_S):
                await process.wait()
        await self.kill()

    async def kill(self) -> None:
        if self._process is None:
            return
        _kill(self._process.pid, self._mark)
        await self._process.wait()
        _groups.pop(self._process.pid, None)
        if self._draining is not None:
            await self._draining
            self._draining = None

    async def pause(self) -> None:
        self._signal(signal.SIGSTOP)

    async def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def waited_ns(self) -> int:
        """From the scheduler's statistics (Linux): time on a run queue, over all threads."""
        process = self._running()
        if process is None:
            return 0
        waited = 0
        with contextlib.suppress(OSError, ValueError, IndexError):  # no such file elsewhere; a thread may have ended
            for thread in Path(f"/proc/{process.pid}/task").iterdir():
                waited += int((thread / "schedstat").read_text().split()[1])
        return waited

    async def log(self) -> str:
        return self._log_path.read_text(encoding="utf-8", errors="replace") if self._log_path.exists() else ""

    async def close(self) -> None:
        await self.kill()
        if self._data is not None:
            self._data.remove()

    async def _begun(self, arguments: Sequence[str], log: BinaryIO) -> Running:
        if self._preload:
            _, _, module, *rest = arguments
            forked = await fork(module, rest, preload=self._preload, environment=self._environment, stderr=log)
            if forked is not None:
                return forked
        return await asyncio.create_subprocess_exec(
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE if self._announces else log,
            stderr=log,
            env=self._environment,
            start_new_session=True,
            preexec_fn=die_with_parent,
        )

    def _signal(self, number: signal.Signals) -> None:
        """To all of a relay that runs; it may have ended, and that not be heard of yet."""
        if (process := self._running()) is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, number)
            marks.signal_all(self._mark, number)

    def _running(self) -> Running | None:
        return self._process if self._process is not None and self._process.returncode is None else None

    async def _until_ready(self, process: Running) -> None:
        if not self._announces:
            await wait_until_ready(self.url, gone=lambda: self._exited(process))
            return
        assert process.stdout is not None
        while line := await process.stdout.readline():
            with contextlib.suppress(msgspec.DecodeError, TypeError, KeyError):
                ready = msgspec.json.decode(line)
                if ready["event"] == "ready":
                    self._port = int(ready["port"])
                    self._draining = asyncio.create_task(self._drain(process.stdout))
                    return
        await process.wait()
        self._exited(process)

    def _exited(self, process: Running) -> None:
        if process.returncode is not None:
            tail = self._tail()
            wrote = "its log ends with" if tail else "it wrote nothing"
            raise TargetError(f"the relay ended with status {process.returncode} before it was ready; {wrote}", tail)

    async def _drain(self, stdout: asyncio.StreamReader) -> None:
        """A pipe that nobody reads would stop the relay."""
        while chunk := await stdout.read(65536):
            with self._log_path.open("ab") as log:
                log.write(chunk)

    def _tail(self) -> str:
        with self._log_path.open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - _LOG_TAIL_BYTES))
            lines = log.read().decode(errors="replace").splitlines()
        return "\n".join(lines[-_LOG_TAIL_LINES:])


def command_target(profile: Profile, template: str, folder: Path, instance: str) -> ProcessTarget:
    """``cmd:``: ``{port}`` and ``{dir}`` are filled in, the rest is split like a shell does, without a shell."""

    def command(port: int, data: Path) -> list[str]:
        return [word.replace("{port}", str(port)).replace("{dir}", str(data)) for word in shlex.split(template)]

    return ProcessTarget(
        instance=instance,
        command=command,
        log_path=folder / "relays" / f"{instance}.log",
        base=profile.relay.base,
        ready_s=profile.control.ready_s,
        tenants=profile.tenancy.organisations,
        environment=profile.relay.environment,
        announces=False,
    )


def _kill(group: int, mark: str) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
    marks.kill_all(mark)


def _memory_folder() -> Path | None:
    """Where a killed process finds its data again and no disk's queue delays a commit. None: the usual place."""
    shared_memory = Path("/dev/shm")
    return shared_memory if shared_memory.is_dir() and os.access(shared_memory, os.W_OK) else None


def free_port() -> int:
    """A port of the loopback that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
