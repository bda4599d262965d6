"""Bandwidth 0: what is sent waits here, and arrives when the freeze ends. Nobody is told meanwhile."""

from __future__ import annotations

import asyncio
from typing import Literal

from chaos.proxy.proxy import Chunk, Link, Proxy, Toxic

__all__ = ["Freeze"]


class Freeze(Toxic):
    def __init__(self, way: Literal["up", "down", "both"] = "both") -> None:
        super().__init__(way)
        self._over = asyncio.Event()

    def removed(self, proxy: Proxy) -> None:
        self._over.set()

    async def carry(self, chunk: Chunk, link: Link) -> bool:
        await self._over.wait()
        return True
