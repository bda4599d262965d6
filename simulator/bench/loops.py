"""The floors: a heapq loop with nothing around it, and one with the methods that a world needs of its clock."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from typing import Any

from simulator.clock import SECOND_NS, Clock

PERIOD_NS = 10 * SECOND_NS


class BareLoop:
    """`Clock.call`, `now_ns` and `run` without SimPy: the least that runs the same world."""

    def __init__(self) -> None:
        self.now_ns = 0
        self._queue: list[Any] = []
        self._numbers = count()

    def call(self, delay_ns: int, function: Callable[..., object], *args: Any) -> None:
        heappush(self._queue, (self.now_ns + delay_ns, next(self._numbers), function, args))

    def run(self, until: int) -> None:
        """Let happen what is due before ``until``, a time in nanoseconds."""
        queue = self._queue
        while queue and queue[0][0] < until:
            self.now_ns, _, function, args = heappop(queue)
            function(*args)
        self.now_ns = until


def bare_timers(timers: int, events: int) -> int:
    """A timer every 10 s for each executor, on the bare loop; how many fired."""
    queue: list[tuple[int, int, Callable[[int], None]]] = []
    numbers = count()
    fired = 0

    def start(at_ns: int) -> None:
        def fire(now_ns: int) -> None:
            nonlocal fired
            fired += 1
            heappush(queue, (now_ns + PERIOD_NS, next(numbers), fire))

        heappush(queue, (at_ns, next(numbers), fire))

    for place in range(timers):
        start(_first_ns(place, timers))
    end_ns = PERIOD_NS * events // timers
    while queue:
        now_ns, _, fire = heappop(queue)
        if now_ns >= end_ns:
            break
        fire(now_ns)
    return fired


def clock_timers(timers: int, events: int) -> int:
    """The same on the simulator's clock."""
    clock = Clock()
    fired = 0

    def start(at_ns: int) -> None:
        def fire() -> None:
            nonlocal fired
            fired += 1
            clock.call(PERIOD_NS, fire)

        clock.call(at_ns, fire)

    for place in range(timers):
        start(_first_ns(place, timers))
    clock.run(until=PERIOD_NS * events // timers)
    return fired


def _first_ns(place: int, timers: int) -> int:
    """Spread over the period in no order of their own."""
    return place * 7_919 % timers * PERIOD_NS // timers
