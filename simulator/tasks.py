"""Coroutines in virtual time: await a SimPy event, run beside, join.

A scenario is an ordinary coroutine. Whatever it awaits of a world ends in `wait(event)`, which hands the SimPy event to
the task that drives the coroutine; the task goes on when the event was processed.
"""

from __future__ import annotations

from collections.abc import Coroutine, Generator, Sequence
from typing import Any, Generic, TypeVar

from simpy.events import AllOf, Event

from simulator.clock import Clock, failure_of

T = TypeVar("T")


class wait:  # noqa: N801 - reads as a verb: ``await wait(event)``
    """Await a SimPy event: gives its value or raises its failure."""

    __slots__ = ("_event",)

    def __init__(self, event: Event) -> None:
        self._event = event

    def __await__(self) -> Generator[Event, Any, Any]:
        return (yield self._event)


class Task(Generic[T]):
    """A coroutine that runs beside others; await it to join. It starts after what is already due now."""

    def __init__(self, clock: Clock, coroutine: Coroutine[Any, Any, T]) -> None:
        self.done = Event(clock)
        self.joined = False
        self._clock = clock
        self._coroutine = coroutine
        clock.call(0, self._go_on, None)

    @property
    def failure(self) -> BaseException | None:
        """What ended the coroutine, if it failed."""
        return failure_of(self.done) if self.done.triggered and not self.done.ok else None

    def cancel(self) -> None:
        """End the coroutine where it stands: its ``finally`` blocks run, and nobody is told."""
        self._coroutine.close()

    def __await__(self) -> Generator[Event, Any, T]:
        self.joined = True
        result: T = yield self.done
        return result

    def _go_on(self, happened: Event | None) -> None:
        try:
            if happened is None:
                awaited = self._coroutine.send(None)
            elif happened.ok:
                awaited = self._coroutine.send(happened.value)
            else:
                happened.defused = True
                awaited = self._coroutine.throw(failure_of(happened))
        except StopIteration as stop:
            self.done.succeed(stop.value)
        except Exception as failure:  # noqa: BLE001 - it belongs to whoever joins the task
            self.done.fail(failure)
            self.done.defused = True
        else:
            if awaited.callbacks is None:  # processed already: nobody would call us back
                self._clock.call(0, self._go_on, awaited)
            else:
                awaited.callbacks.append(self._go_on)


async def gather(clock: Clock, tasks: Sequence[Task[Any]]) -> list[Any]:
    """Join all of them; the first failure is raised at once."""
    for task in tasks:
        task.joined = True
    await wait(AllOf(clock, [task.done for task in tasks]))
    return [task.done.value for task in tasks]
