"""The proxy: one listening port, one server behind it, any number of links, and the toxics that hold now.

A toxic is one fault; each file beside this one has one.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["Chunk", "Direction", "Link", "Proxy", "Toxic"]

Direction = Literal["up", "down"]
"""Up leads from the client to the server, down back."""
_READ = 1 << 16
_QUEUED = 64  # chunks on their way; beyond it the sender feels that nothing moves
_LINGER_NONE = struct.pack("ii", 1, 0)


@dataclass(slots=True)
class Chunk:
    """Bytes on their way. Empty: the sender has ended its side."""

    data: bytes
    at_s: float  # when they came, by the loop's clock
    direction: Direction


class Link:
    """One client and its connection to the server."""

    def __init__(self, proxy: Proxy, client: asyncio.StreamWriter, server: asyncio.StreamWriter) -> None:
        self.proxy = proxy
        self.client = client
        self.server = server
        self.last_s = asyncio.get_running_loop().time()  # when bytes came last
        self.counts = {"up": 0, "down": 0}  # bytes that were passed on

    def end(self, *, side: str = "both") -> None:
        """FIN: in good order below whatever protocol. ``side``: "client", "server" or "both"."""
        for writer in self._sides(side):
            with contextlib.suppress(OSError):
                writer.close()

    def reset(self, *, side: str = "both") -> None:
        """RST: what was on its way is gone."""
        for writer in self._sides(side):
            sock = writer.get_extra_info("socket")
            if sock is not None:
                with contextlib.suppress(OSError):
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NONE)
            writer.transport.abort()

    def _sides(self, side: str) -> tuple[asyncio.StreamWriter, ...]:
        return {"client": (self.client,), "server": (self.server,)}.get(side, (self.client, self.server))


class Toxic:
    """What each may do; the default does nothing. ``way``: the direction that is hit."""

    def __init__(self, way: Literal["up", "down", "both"] = "both") -> None:
        self.way = way

    def covers(self, direction: Direction) -> bool:
        return self.way in ("both", direction)

    def added(self, proxy: Proxy) -> None:
        """It begins now."""

    def removed(self, proxy: Proxy) -> None:
        """It ends now."""

    def opened(self, link: Link) -> bool:
        """A client has come. False: it is turned away."""
        return True

    async def carry(self, chunk: Chunk, link: Link) -> bool:
        """Called for each chunk before it is passed on. False: the link was ended here, pass on nothing."""
        return True


class Proxy:
    """Listens. `add` and `remove` toxics at any time; they hold for open links and for new ones."""

    def __init__(self, host: str, port: int, *, listen: str = "127.0.0.1") -> None:
        """``host`` and ``port``: of the server behind. ``listen``: the address that clients dial."""
        self._listen = listen
        self._host = host
        self._port = port
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._toxics: list[Toxic] = []
        self.links: set[Link] = set()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, self._listen, 0)

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
        for toxic in tuple(self._toxics):
            self.remove(toxic)
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def port(self) -> int:
        assert self._server is not None, "start the proxy first"
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    @property
    def toxics(self) -> Sequence[Toxic]:
        return tuple(self._toxics)

    def add(self, toxic: Toxic) -> None:
        self._toxics.append(toxic)
        toxic.added(self)

    def remove(self, toxic: Toxic) -> None:
        """What it held back is passed on. One that is not there is ignored: it may have ended by itself."""
        if toxic in self._toxics:
            self._toxics.remove(toxic)
            toxic.removed(self)

    async def _serve(self, reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            back, server = await asyncio.open_connection(self._host, self._port)
        except OSError:
            client.transport.abort()
            self._tasks.discard(task)
            return
        link = Link(self, client, server)
        try:
            if not all(toxic.opened(link) for toxic in self.toxics):
                link.reset()
                return
            self.links.add(link)
            await self._both(link, reader, back)
        except asyncio.CancelledError:
            pass  # `stop` asked for it, and asyncio would log it as a crash of the server
        finally:
            self.links.discard(link)
            self._tasks.discard(task)
            client.transport.abort()
            server.transport.abort()

    async def _both(self, link: Link, reader: asyncio.StreamReader, back: asyncio.StreamReader) -> None:
        ways = [
            asyncio.create_task(self._way(link, "up", reader, link.server)),
            asyncio.create_task(self._way(link, "down", back, link.client)),
        ]
        try:
            await asyncio.gather(*ways)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)

    async def _way(
        self, link: Link, direction: Direction, source: asyncio.StreamReader, target: asyncio.StreamWriter
    ) -> None:
        """One direction: a reader that stamps what comes, and a writer that lets the toxics have it first."""
        queue: asyncio.Queue[Chunk] = asyncio.Queue(_QUEUED)
        reading = asyncio.create_task(_read(link, direction, source, queue))
        try:
            while True:
                chunk = await queue.get()
                for toxic in self.toxics:
                    if toxic.covers(direction) and not await toxic.carry(chunk, link):
                        return
                if target.is_closing():
                    return  # the other side has ended
                with contextlib.suppress(OSError):
                    if not chunk.data:
                        if target.can_write_eof():
                            target.write_eof()
                        return
                    target.write(chunk.data)
                    link.counts[direction] += len(chunk.data)
                    await target.drain()
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


async def _read(link: Link, direction: Direction, source: asyncio.StreamReader, queue: asyncio.Queue[Chunk]) -> None:
    loop = asyncio.get_running_loop()
    data = b"first"
    while data:
        try:
            data = await source.read(_READ)
        except OSError:  # a reset is passed on as an end: the other side has lost its peer in either case
            data = b""
        link.last_s = loop.time()
        await queue.put(Chunk(data, link.last_s, direction))
