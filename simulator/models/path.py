"""The network between one host and the relay, and what breaks it. TCP, not packets: nothing is lost, it comes late.

What is dropped on the way is sent again by TCP after 0.2 s, doubling: when the way is free again, the next attempt
delivers everything that has waited, in order. What is frozen (no bandwidth, but acknowledged by whoever stands between)
arrives at once.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Literal

from simulator.clock import SECOND_NS, Clock
from simulator.link import Link

Direction = Literal["up", "down"]
Hold = Literal["drop", "freeze"]

_RTO_NS = SECOND_NS // 5


class Path:
    """One host's way to the relay; every connection over it is a `Route`. A fixed latency, so that skipped heartbeats
    change nothing for the frames that are left."""

    def __init__(self, clock: Clock, random: Random, latency_ns: int) -> None:
        self.clock = clock
        self.latency_ns = latency_ns
        self.extra_ns = 0
        self.jitter_ns = 0
        self.loss = 0.0
        self.idle_ns: int | None = None  # a proxy stands between that ends connections silent for so long
        self.holds: dict[Direction, Hold] = {}
        self.routes: list[Route] = []
        self._random = random
        self._held_ns: dict[Direction, int] = {}

    def delay_ns(self) -> int:
        """One way, for one frame; draws only where something is wrong."""
        if not (self.extra_ns or self.jitter_ns or self.loss):
            return self.latency_ns
        delay_ns = self.latency_ns + self.extra_ns
        if self.jitter_ns:
            delay_ns = max(self.latency_ns, delay_ns + self._random.randrange(-self.jitter_ns, self.jitter_ns + 1))
        again_ns = _RTO_NS
        while self.loss and self._random.random() < self.loss and again_ns < 60 * SECOND_NS:
            delay_ns += again_ns
            again_ns *= 2
        return delay_ns

    def hold(self, direction: Direction, how: Hold) -> None:
        self.holds[direction] = how
        self._held_ns[direction] = self.clock.now_ns

    def release(self, direction: Direction) -> None:
        """What has waited arrives: now, or with TCP's next attempt."""
        how = self.holds.pop(direction, None)
        if how is None:
            return
        delay_ns = 0
        if how == "drop":
            waited_ns, again_ns = self.clock.now_ns - self._held_ns[direction], _RTO_NS
            while again_ns < waited_ns:
                again_ns = 2 * again_ns + _RTO_NS
            delay_ns = again_ns - waited_ns
        for route in self.routes:
            route.release(direction, delay_ns)

    def heal(self) -> None:
        self.extra_ns = self.jitter_ns = 0
        self.loss = 0.0
        self.idle_ns = None
        for direction in tuple(self.holds):
            self.release(direction)


class Route(Link):
    """One connection's two channels. ``ends`` tells both ends that the network has ended it."""

    def __init__(self, path: Path, ends: Callable[[str], None]) -> None:
        super().__init__(path.clock, path.delay_ns)
        self.path = path
        self.cut_after: int | None = None  # frames that still pass
        self.cut_bytes: int | None = None  # bytes that still pass
        self.last_ns = path.clock.now_ns  # when a frame last passed
        self.swallows = False  # the executor's host no longer knows of it: nothing comes up, nothing goes down
        self._ends = ends
        self._waiting: dict[Direction, list[tuple[Callable[..., object], tuple[Any, ...]]]] = {"up": [], "down": []}
        self._busy_until_ns: dict[Direction, int] = {"up": 0, "down": 0}
        path.routes.append(self)

    def finish(self) -> None:
        """Both ends are done with it; what still waits is delivered when it can be."""
        if self in self.path.routes and not any(self._waiting.values()):
            self.path.routes.remove(self)

    @property
    def idle(self) -> bool:
        """Nothing waits, and nothing is on its way."""
        now_ns = self.path.clock.now_ns
        return not any(self._waiting.values()) and all(at_ns <= now_ns for at_ns in self._busy_until_ns.values())

    def up(self, function: Callable[..., object], *args: Any) -> None:
        self._send("up", function, args)

    def down(self, function: Callable[..., object], *args: Any) -> None:
        self._send("down", function, args)

    def release(self, direction: Direction, delay_ns: int) -> None:
        waiting, self._waiting[direction] = self._waiting[direction], []
        self._busy_until_ns[direction] = self.path.clock.now_ns + delay_ns
        for function, args in waiting:
            self._pass(direction, function, args)

    def _send(self, direction: Direction, function: Callable[..., object], args: tuple[Any, ...]) -> None:
        if self.swallows:
            return
        if direction in self.path.holds:
            self._waiting[direction].append((function, args))
        else:
            self._pass(direction, function, args)
        if self.cut_after is not None or self.cut_bytes is not None:
            self._count(args)

    def _pass(self, direction: Direction, function: Callable[..., object], args: tuple[Any, ...]) -> None:
        clock = self.path.clock
        now_ns = clock.now_ns
        arrives_ns = max(self._busy_until_ns[direction], now_ns + self.path.delay_ns())
        self._busy_until_ns[direction] = arrives_ns
        self.last_ns = now_ns
        clock.call(arrives_ns - now_ns, function, *args)

    def _count(self, args: tuple[Any, ...]) -> None:
        if self.cut_after is not None:
            self.cut_after -= 1
        if self.cut_bytes is not None:
            self.cut_bytes -= sum(len(arg) + 2 for arg in args if isinstance(arg, bytes))
        if (self.cut_after is not None and self.cut_after <= 0) or (self.cut_bytes is not None and self.cut_bytes <= 0):
            self.cut_after = self.cut_bytes = None
            self._ends("reset")
