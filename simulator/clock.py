"""Virtual time: SimPy's `Environment` with integer nanoseconds and a lighter loop.

SimPy's events, processes and conditions work on it unchanged. What happens often (a frame arrives, a timer expires) is
a plain `Clock.call` instead of an event object. Measured against a bare heapq loop, one timer per executor: 0.55 of its
speed with 10 executors, 0.8 with 1,000, 0.85 with 10,000; SimPy's `Timeout` with a callback reaches 0.4.

The order is total and depends on nothing but the program: by time, then SimPy's priority, then the order of scheduling.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

from simpy.core import EmptySchedule, Environment, StopSimulation
from simpy.events import NORMAL, URGENT, Event

from simulator.errors import Stalled

SECOND_NS = 1_000_000_000


def ns(seconds: float) -> int:
    """Seconds as whole nanoseconds."""
    return round(seconds * SECOND_NS)


class Clock(Environment):
    """A SimPy environment whose time is an integer: nanoseconds since the start of the simulation."""

    _now: int
    _queue: list[Any]  # (at_ns, priority, number, function, arguments); SimPy itself only ever looks at the first

    def __init__(self) -> None:
        super().__init__(initial_time=0)

    @property
    def now_ns(self) -> int:
        return self._now

    def call(self, delay_ns: int, function: Callable[..., object], *args: Any) -> None:
        """Call ``function(*args)`` in ``delay_ns`` nanoseconds (0: after everything already due now)."""
        assert delay_ns >= 0, "time does not run backwards"
        heappush(self._queue, (self._now + delay_ns, NORMAL, next(self._eid), function, args))

    def schedule(self, event: Event, priority: Any = NORMAL, delay: Any = 0) -> None:
        """SimPy's way in: every event, timeout and process comes through here. ``delay`` is in nanoseconds."""
        assert isinstance(delay, int) and delay >= 0, f"delays are whole nanoseconds, not {delay!r}"
        heappush(self._queue, (self._now + delay, priority, next(self._eid), _process, (event,)))

    def step(self) -> None:
        """Let the next thing happen. Raises SimPy's `EmptySchedule` when there is none."""
        if not self._queue:
            raise EmptySchedule
        self._now, _, _, function, args = heappop(self._queue)
        function(*args)

    def run(self, until: Any = None) -> Any:
        """Let things happen until nothing is left, until a time (exclusive), or until an event was processed.

        Gives the event's value, or raises its failure. Raises `Stalled` when nothing is left before the event.
        """
        if isinstance(until, Event):
            return self._run_until_event(until)
        if until is not None:
            assert isinstance(until, int) and until >= self._now, "run until a later, whole nanosecond"
            heappush(self._queue, (until, URGENT, next(self._eid), _stop, ()))
        queue = self._queue
        try:
            while queue:
                self._now, _, _, function, args = heappop(queue)
                function(*args)
        except StopSimulation:
            pass
        return None

    def _run_until_event(self, event: Event) -> Any:
        queue = self._queue
        while event.callbacks is not None:  # SimPy's mark of a processed event
            if not queue:
                raise Stalled(f"nothing is left to happen at {self._now} ns, but {event!r} is still awaited")
            self._now, _, _, function, args = heappop(queue)
            function(*args)
        if not event.ok:
            raise failure_of(event)
        return event.value


def _stop() -> None:
    """The end of a run in the queue: cheaper than a look at the time before each call."""
    raise StopSimulation


def failure_of(event: Event) -> BaseException:
    """What a failed event failed with."""
    failure = event.value
    assert isinstance(failure, BaseException), "SimPy lets events fail with exceptions only"
    return failure


def _process(event: Event) -> None:
    """Tell everybody who waits for the event; a failure that nobody takes up ends the simulation, as in SimPy."""
    callbacks, event.callbacks = event.callbacks, None  # type: ignore[assignment]  # SimPy's own mark of "processed"
    for callback in callbacks:
        callback(event)
    if not event.ok and not event.defused:
        raise failure_of(event)
