"""Packets are lost at random and sent again: a portion is late by one or more of TCP's retransmission time-outs.

A proxy sees no packets. What loss does to a stream, stalls of 200 ms that double while the loss goes on, it can do.
"""

from __future__ import annotations

import asyncio
import contextlib
import random

from chaos.proxy.proxy import Chunk, Link, Proxy, Toxic

__all__ = ["Loss"]

_TIMEOUT_S = 0.2  # Linux' least retransmission time-out
_MOST_S = 10.0


class Loss(Toxic):
    def __init__(self, rate: float, *, seed: int = 0) -> None:
        """``rate``: of the packets, 0 to 1."""
        super().__init__()
        self._rate = rate
        self._source = random.Random(seed)
        self._over = asyncio.Event()

    def removed(self, proxy: Proxy) -> None:
        self._over.set()

    async def carry(self, chunk: Chunk, link: Link) -> bool:
        stall_s, next_s = 0.0, _TIMEOUT_S
        while self._source.random() < self._rate and stall_s < _MOST_S:
            stall_s, next_s = stall_s + next_s, next_s * 2
        if stall_s:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), stall_s)
        return True
