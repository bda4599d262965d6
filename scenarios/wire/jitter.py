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
        self._worst_ns = 0
        self._reported_s = time.monotonic()

    def listen(self, listener: Callable[[int], None]) -> None:
        """From now on: what was before is not for the newcomer."""
        self._report()
        self._listeners.add(listener)

    def forget(self, listener: Callable[[int], None]) -> None:
        self._listeners.discard(listener)

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            before_ns = time.monotonic_ns()
            await asyncio.sleep(TICK_S)
            late_ns = time.monotonic_ns() - before_ns - int(TICK_S * 1e9)
            self._worst_ns = max(self._worst_ns, late_ns)
            if self._worst_ns >= LARGE_NS or time.monotonic() - self._reported_s >= REPORT_S:
                self._report()

    def _report(self) -> None:
        for listener in tuple(self._listeners):
            listener(self._worst_ns)
        self._worst_ns, self._reported_s = 0, time.monotonic()
