"""A container's standard streams over the engine's attach socket, as asyncio streams and a log file."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Streams", "attach", "raw_socket"]

_LINE_BYTES = 1 << 22
# The engine's multiplexed format: one byte which stream, three of padding, four the length (API document, "attach").
_HEADER = struct.Struct(">BxxxI")
_STDOUT = 1


def raw_socket(container: Any) -> socket.socket:
    """Attach to a container that is not started yet: nothing that it says is missed. Blocks."""
    held = container.attach_socket(params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})
    inner = getattr(held, "_sock", held)
    # A duplicate: the SDK closes its own with the response that it came from.
    duplicate = socket.socket(fileno=os.dup(inner.fileno()))
    duplicate.setblocking(False)
    return duplicate


@dataclass(frozen=True, slots=True)
class Streams:
    """``pump`` fills ``reports`` and the log until the container ends."""

    reports: asyncio.StreamReader
    commands: asyncio.StreamWriter
    pump: asyncio.Task[None]


async def attach(raw: socket.socket, log: Path, secret: str) -> Streams:
    """Standard output and input. Standard error goes to the log, without the secret. Both end with the container."""
    connect = asyncio.open_unix_connection if raw.family == socket.AF_UNIX else asyncio.open_connection
    multiplexed, commands = await connect(sock=raw)
    reports = asyncio.StreamReader(limit=_LINE_BYTES)
    pump = asyncio.create_task(_pump(multiplexed, reports, log, secret.encode()))
    return Streams(reports, commands, pump)


async def _pump(multiplexed: asyncio.StreamReader, reports: asyncio.StreamReader, log: Path, secret: bytes) -> None:
    errors = b""
    with log.open("ab", buffering=0) as file:
        with contextlib.suppress(asyncio.IncompleteReadError, OSError):
            while True:
                stream, size = _HEADER.unpack(await multiplexed.readexactly(_HEADER.size))
                content = await multiplexed.readexactly(size)
                if stream == _STDOUT:
                    reports.feed_data(content)
                    continue
                *lines, errors = (errors + content).split(b"\n")
                file.writelines(_clean(line, secret) + b"\n" for line in lines)
        file.write(_clean(errors, secret))
    reports.feed_eof()


def _clean(line: bytes, secret: bytes) -> bytes:
    return line.replace(secret, b"<key:executors>") if secret else line
