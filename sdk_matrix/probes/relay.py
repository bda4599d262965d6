"""A scripted relay: a WebSocket server on loopback that does with each dial what a probe asks, and records it.

Each worker process dials with a key of its own, which is how the relay tells them apart before they say anything.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import itertools
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from sdk_matrix.matrix.model import Frame
from sdk_matrix.probes.link import Link

__all__ = ["Dial", "Door", "Refuse", "ScriptedRelay", "Silent"]

_MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455, section 1.3
_HEAD_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Refuse:
    """Answer the upgrade with this status."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Silent:
    """Accept TCP, read the upgrade, answer nothing."""


@dataclass
class Dial:
    """One TCP connection of a worker."""

    at_s: float
    path: str
    headers: Mapping[str, str]  # names in lower case
    ended_s: float | None = None
    link: Link | None = None  # None: it was not accepted


class Door:
    """Everything about one worker process: its dials, what the next ones get, and the record."""

    def __init__(self) -> None:
        self.dials: list[Dial] = []
        self.script: deque[Refuse | Silent] = deque()  # for the next dials, one each; then they are accepted
        self.always: Refuse | Silent | None = None  # what every dial gets instead
        self.record: list[Frame] = []
        self._began_s = time.monotonic()
        self._changed = asyncio.Event()

    def now_s(self) -> float:
        return time.monotonic() - self._began_s

    @property
    def link(self) -> Link | None:
        """The newest connection that is open."""
        return next((d.link for d in reversed(self.dials) if d.link is not None and d.link.open), None)

    async def dial(self, number: int, within_s: float) -> Dial:
        """The dial with this index, once it has come. Raises `TimeoutError`."""
        async with asyncio.timeout(within_s):
            while len(self.dials) <= number:
                self._changed.clear()
                await self._changed.wait()
        return self.dials[number]

    async def connected(self, within_s: float, since: int = 0) -> Link:
        """The newest open connection among the dials from this index on. Raises `TimeoutError`."""
        async with asyncio.timeout(within_s):
            while not (found := [d.link for d in self.dials[since:] if d.link is not None and d.link.open]):
                self._changed.clear()
                await self._changed.wait()
        return found[-1]

    def changed(self) -> None:
        self._changed.set()

    def add(self, frame_kind: str, text: str) -> None:
        self.record.append(Frame(round(self.now_s(), 3), "executor", frame_kind, text))

    def answered(self, text: str) -> None:
        self.record.append(Frame(round(self.now_s(), 3), "relay", "http", text))


class ScriptedRelay:
    """``async with ScriptedRelay() as relay``: `url` is what workers get."""

    def __init__(self) -> None:
        self.url = ""
        self._doors: dict[str, Door] = {}
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._take, "127.0.0.1", 0, limit=_HEAD_BYTES)
        self.url = f"ws://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for writer in tuple(self._writers):
            writer.transport.abort()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def door(self, key: str) -> Door:
        """Of the worker that dials with this key."""
        return self._doors.setdefault(key, Door())

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._writers.add(writer)
        try:
            await self._serve(reader, writer)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, ValueError):
            pass  # no upgrade of a worker's
        finally:
            writer.close()
            self._writers.discard(writer)
            self._tasks.discard(task)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        request, *lines = head.split("\r\n")
        path = request.split(" ")[1]
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if value}
        door = self.door(path.rpartition("/")[2])
        dial = Dial(door.now_s(), path, headers)
        door.dials.append(dial)
        door.add("dial", f"GET {path}")
        what = door.always or (door.script.popleft() if door.script else None)
        if what is None:
            await self._accept(dial, door, reader, writer)
        else:
            door.changed()
            await self._decline(what, door, reader, writer)
        dial.ended_s = door.now_s()
        door.changed()

    async def _accept(self, dial: Dial, door: Door, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        digest = hashlib.sha1(dial.headers["sec-websocket-key"].encode() + _MAGIC, usedforsecurity=False).digest()
        writer.write(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + base64.b64encode(digest) + b"\r\n\r\n"
        )
        dial.link = Link(reader, writer, door.record, door.now_s)
        door.changed()
        await dial.link.serve()

    @staticmethod
    async def _decline(
        what: Refuse | Silent, door: Door, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if isinstance(what, Refuse):
            door.answered(f"HTTP {what.status}")
            fields = itertools.chain(
                what.headers.items(), [("Content-Length", len(what.body)), ("Connection", "close")]
            )
            head = "".join(f"{name}: {value}\r\n" for name, value in fields)
            writer.write(f"HTTP/1.1 {what.status} Refused\r\n{head}\r\n".encode() + what.body)
            await writer.drain()
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
            return
        door.answered("nothing: accepted and silent")
        await reader.read()
        door.add("end", "TCP ends")
