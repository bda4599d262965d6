"""One reading for all who ask at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

T = TypeVar("T")


class Shared:
    """At most one reading a key is under way; whoever asks gets one that began after it asked.

    Fifty scenarios that end together would otherwise each have the relay write out the same long log, and what they
    measure meanwhile would be that.
    """

    def __init__(self) -> None:
        self._running: dict[str, asyncio.Future[Any]] = {}
        self._next: dict[str, asyncio.Future[Any]] = {}

    async def get(self, key: str, read: Callable[[], Awaitable[T]]) -> T:
        """What ``read`` gives, or raises; the reading of whoever asked first is shared by all who wait with it."""
        waiting: asyncio.Future[T] | None = self._next.get(key)
        if waiting is None:
            waiting = self._next[key] = asyncio.ensure_future(self._read(key, read))
        return await asyncio.shield(waiting)

    async def _read(self, key: str, read: Callable[[], Awaitable[T]]) -> T:
        if (running := self._running.get(key)) is not None:
            await asyncio.wait([running])
        self._running[key] = self._next.pop(key)
        return await read()
