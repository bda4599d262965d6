"""How late the observer's own loop wakes: what it can't see sharply, the judge must not judge sharply."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

TICK_S = 0.01
REPORT_S = 0.7
LARGE_NS = 50_000_000
"""A lateness like this is reported at once, so that it is near the events that it spoiled."""


class JitterMonitor:
    """Wakes every 10 ms and tells every listener the worst lateness, in ns, each 0.7 s or when it is large."""

    def __init__(self) -> None:
        self._listeners: set[Callable[[int], None]] = set()

    def listen(self, listener: Callable[[int], None]) -> None:
        self._listeners.add(listener)

    def forget(self, listener: Callable[[int], None]) -> None:
        self._listeners.discard(listener)

    async def run(self) -> None:
        """Until cancelled."""
        worst_ns, reported = 0, time.monotonic()
        while True:
            before_ns = time.monotonic_ns()
            await asyncio.sleep(TICK_S)
            worst_ns = max(worst_ns, time.monotonic_ns() - before_ns - int(TICK_S * 1e9))
            now = time.monotonic()
            if worst_ns >= LARGE_NS or now - reported >= REPORT_S:
                for listener in tuple(self._listeners):
                    listener(worst_ns)
                worst_ns, reported = 0, now
