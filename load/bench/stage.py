"""One server and its executors as two processes, started anew for each sample."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from load.bench.errors import BenchError
from load.floors import relay_server

ANSWER_S = 60.0  # the longest that a command may take
END_S = 10.0


@dataclass(frozen=True, slots=True)
class Side:
    """One of the servers that are compared."""

    name: str
    module: str  # started with python -m
    path: str  # where its executors dial


REFERENCE = Side("reference: bare picows + uvloop", "load.floors.picows_server", "/websocket/bench/key")
AGAIN = Side("reference again (A/A)", REFERENCE.module, REFERENCE.path)
RELAY = Side("relay", "load.floors.relay_server", f"/websocket/bench/{relay_server.KEY}")


@dataclass(frozen=True, slots=True)
class Pins:
    """Which processor runs what; None: unpinned."""

    server: int | None = None
    client: int | None = None


def pins() -> Pins:
    """Server and client on processors of their own, where there are two."""
    allowed = sorted(os.sched_getaffinity(0))
    return Pins(allowed[0], allowed[1]) if len(allowed) > 1 else Pins()


class Worker:
    """A process that answers JSON lines with JSON lines."""

    def __init__(self, process: asyncio.subprocess.Process, what: str, log: Path) -> None:
        self._process = process
        self._what = what
        self._log = log

    @property
    def pid(self) -> int:
        return self._process.pid

    async def ask(self, command: Mapping[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(command).encode() + b"\n")
        return await self.answer(str(command))

    async def answer(self, to: str) -> dict[str, Any]:
        """The next line. Raises `BenchError` when the process ends or takes too long."""
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(ANSWER_S):
                line = await self._process.stdout.readline()
        except TimeoutError:
            raise BenchError(f"{self._what} did not answer {to} within {ANSWER_S:.0f} s") from None
        if not line:
            said = self._log.read_text(errors="replace").strip().splitlines()
            raise BenchError(f"{self._what} ended at {to}: {said[-1] if said else 'it said nothing'}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            async with asyncio.timeout(END_S):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()


@dataclass(frozen=True, slots=True)
class Stage:
    server: Worker
    client: Worker


@contextlib.asynccontextmanager
async def stage(side: Side, pinned: Pins, *, in_flight: int = 64) -> AsyncIterator[Stage]:
    """Start a server and a client with no executor yet; end both."""
    with tempfile.TemporaryDirectory(prefix="relayproof-bench-") as name:
        folder = Path(name)
        config = folder / "relay.yaml"
        config.write_text(f"{relay_server.CONFIG}data: {folder / 'data'}\n")
        async with contextlib.AsyncExitStack() as running:
            server = await _start("the server", side.module, folder, pinned.server, ["--config", str(config)])
            running.push_async_callback(server.end)
            port = (await server.answer("its start"))["port"]
            dial = ["--port", str(port), "--path", side.path, "--in-flight", str(in_flight)]
            client = await _start("the client", "load.bench.client", folder, pinned.client, dial)
            running.push_async_callback(client.end)
            yield Stage(server, client)


async def _start(what: str, module: str, folder: Path, cpu: int | None, options: list[str]) -> Worker:
    log = folder / f"{module}.log"
    command = [sys.executable, "-m", module, *options, *([] if cpu is None else ["--cpu", str(cpu)])]
    with log.open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=errors
        )
    return Worker(process, what, log)


def allow_files(executors: int) -> int:
    """Raise the limit of open files as far as it goes; returns how many executors one process may hold."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return min(executors, hard - 200) if hard != resource.RLIM_INFINITY else executors
