"""How late the host makes things: what the observer can't see sharply, the judge must not judge sharply.

Two kinds count. The observer's own event loop wakes late; and the relay's process, where it runs on
this host, waits for a processor that others use. What the relay itself takes its time for is no jitter.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable

from scenarios.targets import Target

TICK_S = 0.01
LOOK_TICKS = 5
"""The relay's waiting is read from the system this often: reading it costs something too."""
REPORT_S = 0.7
ALWAYS_AT_ONCE = 12
"""So many scenarios may run however busy the host is, or a run would not end."""
STAGGER_S = 0.02
"""Between two beginnings: in one instant, they would wait for each other's registrations."""
RECENT_LOOKS = 20
LARGE_NS = 50_000_000
"""A lateness like this is reported at once, so that it is near the events that it spoiled."""

Tell = Callable[[int], None]


class _Watched:
    """One relay and the histories of those who look at it."""

    def __init__(self, target: Target) -> None:
        self.tells: set[Tell] = set()
        self._target = target
        self._waited_ns = self._looked_ns = target.waited_ns()
        self._loop_ns = 0
        self._reported_s = time.monotonic()

    def look(self, loop_ns: int, *, now: bool = False) -> int:
        """Report if it is due. Returns how long the relay has waited since the last look, in ns."""
        self._loop_ns = max(self._loop_ns, loop_ns)
        waited_ns = self._target.waited_ns()
        # The loop's lateness adds to the relay's: both may have delayed one observation.
        worst_ns = self._loop_ns + max(0, waited_ns - self._waited_ns)  # a restarted relay counts from 0
        if now or worst_ns >= LARGE_NS or time.monotonic() - self._reported_s >= REPORT_S:
            for tell in tuple(self.tells):
                tell(worst_ns)
            self._waited_ns, self._loop_ns, self._reported_s = waited_ns, 0, time.monotonic()
        since_ns, self._looked_ns = waited_ns - self._looked_ns, waited_ns
        return max(0, since_ns)


class JitterMonitor:
    """Tells every listener the worst lateness, in ns, each 0.7 s or as soon as it is large."""

    def __init__(self) -> None:
        self._watched: dict[str, _Watched] = {}
        self._loop_ns = 0
        self._asleep_ns = time.monotonic_ns()
        self._recent: deque[int] = deque(maxlen=RECENT_LOOKS)

    def listen(self, target: Target, tell: Tell) -> None:
        """From now on: what was before is not for the newcomer."""
        watched = self._watched.setdefault(target.instance, _Watched(target))
        watched.look(self._loop_ns, now=True)
        watched.tells.add(tell)

    def forget(self, target: Target, tell: Tell) -> None:
        """Tells the last lateness first, also one that nobody has woken up from yet but the caller."""
        watched = self._watched[target.instance]
        watched.look(max(self._loop_ns, _late_ns(self._asleep_ns)), now=True)
        watched.tells.discard(tell)
        if not watched.tells:
            del self._watched[target.instance]

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            for _ in range(LOOK_TICKS):
                self._asleep_ns = time.monotonic_ns()
                await asyncio.sleep(TICK_S)
                self._loop_ns = max(self._loop_ns, _late_ns(self._asleep_ns))
            waits_ns = [watched.look(self._loop_ns) for watched in self._watched.values()]
            self._recent.append(self._loop_ns + max(waits_ns, default=0))
            self._loop_ns = 0

    @property
    def recent_ns(self) -> int:
        """The worst lateness of the last second."""
        return max(self._recent, default=0)


def _late_ns(asleep_ns: int) -> int:
    """By how much a tick that began then has outlasted its length."""
    return max(0, time.monotonic_ns() - asleep_ns - int(TICK_S * 1e9))


class Admission:
    """Lets scenarios begin one after the other, and holds them back while the host is busy.

    A scenario on a host that can't keep up shows nothing but the host: fewer at once take longer and show something.
    """

    def __init__(self, monitor: JitterMonitor, calm_ns: int) -> None:
        self._monitor = monitor
        self._calm_ns = calm_ns
        self._inside = 0
        self._turn = asyncio.Lock()

    async def enter(self) -> None:
        async with self._turn:
            while self._inside >= ALWAYS_AT_ONCE and self._monitor.recent_ns > self._calm_ns:  # noqa: ASYNC110
                await asyncio.sleep(TICK_S * LOOK_TICKS)
            self._inside += 1
            await asyncio.sleep(STAGGER_S)

    def leave(self) -> None:
        self._inside -= 1
