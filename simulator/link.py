"""One connection between a scripted executor and the relay: two ordered channels with latency, and what breaks them.

The link knows no protocol. Each end hands it a function to call at the other end; the link calls it later, in order.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from simulator.clock import Clock

Delivery = tuple[Callable[..., object], tuple[Any, ...]]


class Latency:
    """Draws one-way delays between ``low_s`` and ``high_s``, in nanoseconds, from a seeded source."""

    def __init__(self, random: Random, low_ns: int = 200_000, high_ns: int = 1_000_000) -> None:
        self._random = random
        self._low_ns = low_ns
        self._span_ns = high_ns - low_ns

    def __call__(self) -> int:
        return self._low_ns + int(self._random.random() * self._span_ns)


class Link:
    """``up`` leads to the relay, ``down`` to the executor. Nothing overtakes anything on its way.

    While the executor's end does not read, what arrives there waits in the socket and nobody is told.
    """

    def __init__(self, clock: Clock, latency_ns: Callable[[], int]) -> None:
        self._clock = clock
        self._latency_ns = latency_ns
        self._up_free_ns = self._down_free_ns = 0  # when the last delivery of each direction arrives
        self._unread: list[Delivery] = []
        self._reading = True

    def up(self, function: Callable[..., object], *args: Any) -> None:
        """Call at the relay's end, a latency later."""
        now_ns = self._clock.now_ns
        self._up_free_ns = max(self._up_free_ns, now_ns + self._latency_ns())
        self._clock.call(self._up_free_ns - now_ns, function, *args)

    def down(self, function: Callable[..., object], *args: Any) -> None:
        """Call at the executor's end, a latency later; it waits there unread while the end does not read."""
        now_ns = self._clock.now_ns
        self._down_free_ns = max(self._down_free_ns, now_ns + self._latency_ns())
        self._clock.call(self._down_free_ns - now_ns, self._arrive, function, args)

    def read(self, reading: bool) -> None:
        """Stop reading, or go on: then whatever has waited arrives now, in order."""
        self._reading = reading
        unread, self._unread = self._unread, []
        for function, args in unread:
            self._arrive(function, args)

    def _arrive(self, function: Callable[..., object], args: tuple[Any, ...]) -> None:
        if self._reading:
            function(*args)
        else:
            self._unread.append((function, args))
