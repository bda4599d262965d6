"""A host's clocks: a monotonic one that may drift and stand still, a wall clock that may be anywhere."""

from __future__ import annotations

from simulator.clock import Clock

MILLION = 1_000_000


class HostClock:
    """Readings in ns. ``ppm`` is how much faster than true time it runs; drift never moves a reading, only its pace."""

    def __init__(self, clock: Clock, offset_ns: int = 0) -> None:
        self._clock = clock
        self._base_ns = offset_ns  # the reading ...
        self._since_ns = clock.now_ns  # ... at this moment of true time
        self.ppm = 0
        self.asleep = False
        self.wall_ms = 0  # the wall clock's error

    @property
    def now_ns(self) -> int:
        if self.asleep:
            return self._base_ns
        elapsed_ns = self._clock.now_ns - self._since_ns
        return self._base_ns + elapsed_ns + (elapsed_ns * self.ppm // MILLION if self.ppm else 0)

    def drift(self, ppm: int) -> None:
        self._base_ns, self._since_ns = self.now_ns, self._clock.now_ns
        self.ppm = ppm

    def sleep(self) -> None:
        """Suspend to RAM: the monotonic clock stands still (CLOCK_MONOTONIC does), the wall clock does not."""
        self._base_ns = self.now_ns
        self.asleep = True

    def wake(self) -> None:
        if self.asleep:
            self._since_ns = self._clock.now_ns
            self.asleep = False

    def true_ns(self, duration_ns: int) -> int:
        """How long a duration by this clock really takes."""
        return duration_ns * MILLION // (MILLION + self.ppm) if self.ppm else duration_ns
