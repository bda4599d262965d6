"""The client's end is gone, the server's stays open and silent: at once, it is never told, or told later."""

from __future__ import annotations

import asyncio

from chaos.proxy.proxy import Chunk, Link, Proxy, Toxic

__all__ = ["HalfOpen"]


class HalfOpen(Toxic):
    """Hits the links that are open when it is added. ``removed`` ends their server side."""

    def __init__(self) -> None:
        super().__init__()
        self._hit: set[Link] = set()
        self._over = asyncio.Event()

    def added(self, proxy: Proxy) -> None:
        self._hit = set(proxy.links)
        for link in self._hit:
            link.reset(side="client")

    def removed(self, proxy: Proxy) -> None:
        self._over.set()
        for link in self._hit:
            link.end(side="server")

    async def carry(self, chunk: Chunk, link: Link) -> bool:
        if link in self._hit:
            await self._over.wait()
            return False
        return True
