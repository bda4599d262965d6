"""A proxy that ends a connection which was silent both ways for a time, as load balancers do."""

from __future__ import annotations

import asyncio

from chaos.proxy.proxy import Proxy, Toxic

__all__ = ["Idle"]

_LOOK_S = 0.1


class Idle(Toxic):
    def __init__(self, idle_s: float) -> None:
        super().__init__()
        self._idle_s = idle_s
        self._watch: asyncio.Task[None] | None = None

    def added(self, proxy: Proxy) -> None:
        self._watch = asyncio.create_task(self._run(proxy))

    def removed(self, proxy: Proxy) -> None:
        assert self._watch is not None
        self._watch.cancel()

    async def _run(self, proxy: Proxy) -> None:
        loop = asyncio.get_running_loop()
        while True:
            for link in tuple(proxy.links):
                if loop.time() - link.last_s > self._idle_s:
                    link.end()
            await asyncio.sleep(_LOOK_S)
