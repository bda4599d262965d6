"""Processes of a fork server (`scenarios.targets.forkserver`), beside those that asyncio starts."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import BinaryIO, Protocol

import msgspec

from scenarios.targets.forkserver import LONGEST, Start

__all__ = ["AVAILABLE", "Forked", "Running", "fork"]

AVAILABLE = sys.platform == "linux"
"""Elsewhere a fork without exec isn't safe, or not there."""

_GONE = -signal.SIGKILL
"""The status of a process whose fork server is gone: it went with it."""
_LOCK = threading.Lock()
_servers: dict[tuple[str, ...], tuple[subprocess.Popen[bytes], socket.socket]] = {}


class Running(Protocol):
    """What a target needs of its process; `asyncio.subprocess.Process` has it too."""

    @property
    def pid(self) -> int: ...
    @property
    def returncode(self) -> int | None: ...
    @property
    def stdout(self) -> asyncio.StreamReader | None: ...
    def terminate(self) -> None: ...
    async def wait(self) -> int: ...


class Forked:
    """See `Running`."""

    def __init__(self, pid: int, stdout: asyncio.StreamReader, news: asyncio.StreamReader) -> None:
        self.pid = pid
        self.stdout = stdout
        self.returncode: int | None = None
        self._ended = asyncio.create_task(self._until_ended(news))

    def terminate(self) -> None:
        """Nothing for one that has ended, which may not be heard of yet."""
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)

    async def wait(self) -> int:
        return await asyncio.shield(self._ended)

    async def _until_ended(self, news: asyncio.StreamReader) -> int:
        line = await news.readline()
        self.returncode = int(line.split()[1]) if line.startswith(b"status ") else _GONE
        return self.returncode


async def fork(
    module: str, arguments: Sequence[str], *, preload: Sequence[str], environment: Mapping[str, str], stderr: BinaryIO
) -> Forked | None:
    """``python -m module arguments`` with its stdout in a pipe, as a child of a fork server that has imported
    ``preload``. None where there can be no such server; then the caller starts it as ever, and sees why."""
    packet = msgspec.msgpack.encode(
        Start(
            module,
            [os.fsencode(each) for each in arguments],
            {os.fsencode(name): os.fsencode(value) for name, value in environment.items()},
        )
    )
    if not AVAILABLE or len(packet) > LONGEST:
        return None
    with contextlib.ExitStack() as unless_begun:  # cancelled, too: the server kills a child that nobody listens to
        out_read, out_write = os.pipe()
        output = unless_begun.enter_context(os.fdopen(out_read, "rb", buffering=0))
        hear, tell = socket.socketpair()
        unless_begun.enter_context(hear)
        try:
            sent = _send(tuple(preload), packet, [out_write, stderr.fileno(), tell.fileno()])
        finally:
            os.close(out_write)
            tell.close()
        if not sent:
            return None
        readers = []
        for file in (output, hear):
            reader = asyncio.StreamReader()
            transport, _ = await _connected(reader, file)
            unless_begun.callback(transport.close)
            readers.append(reader)
        stdout, news = readers
        first = await news.readline()
        if not first.startswith(b"pid "):
            return None
        unless_begun.pop_all()
        return Forked(int(first.split()[1]), stdout, news)


def _send(preload: tuple[str, ...], packet: bytes, files: list[int]) -> bool:
    """To the server for ``preload``, which is started by the first request and again if it is gone."""
    with _LOCK:
        for _ in range(2):
            server = _servers.get(preload) or _started(preload)
            try:
                socket.send_fds(server[1], [packet], files)
                return True
            except ConnectionError:
                server[1].close()
                del _servers[preload]
            except OSError:  # this request can't be sent; the server and its children are well
                return False
    return False


def _started(preload: tuple[str, ...]) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """It ends when the socket is closed: with this process, however that ends."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * LONGEST)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "scenarios.targets.forkserver", str(theirs.fileno()), *preload],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,  # whoever gets no child starts the module itself, and sees what is wrong
            start_new_session=True,
        )
    _servers[preload] = process, ours
    return _servers[preload]


async def _connected(
    reader: asyncio.StreamReader, file: BinaryIO | socket.socket
) -> tuple[asyncio.ReadTransport, asyncio.StreamReaderProtocol]:
    return await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), file)
