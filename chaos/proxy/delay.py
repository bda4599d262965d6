"""Everything takes longer by a time that is drawn for each portion; order is kept, throughput too."""

from __future__ import annotations

import asyncio
import contextlib
import random
from typing import Literal

from chaos.proxy.proxy import Chunk, Link, Proxy, Toxic

__all__ = ["Delay"]


class Delay(Toxic):
    def __init__(
        self, delay_s: float, jitter_s: float = 0.0, *, way: Literal["up", "down", "both"] = "both", seed: int = 0
    ) -> None:
        super().__init__(way)
        self._delay_s = delay_s
        self._jitter_s = jitter_s
        self._source = random.Random(seed)
        self._over = asyncio.Event()

    def removed(self, proxy: Proxy) -> None:
        self._over.set()

    async def carry(self, chunk: Chunk, link: Link) -> bool:
        due_s = chunk.at_s + self._delay_s + self._source.uniform(-self._jitter_s, self._jitter_s)
        left_s = due_s - asyncio.get_running_loop().time()
        if left_s > 0:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), left_s)
        return True
