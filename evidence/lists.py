"""The lists of executors that were had of one application, put together once and searched by time.

A relay that asks in a hot loop makes a history of thousands of requests beside thousands of lists: who walked every
list for every request would judge for minutes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property

from evidence.events import Poll, Seen
from evidence.views import Sight

__all__ = ["Lists"]


class Lists:
    """`all`: the lists in order of their answers. Times in ns of the history."""

    def __init__(self, polls: Iterable[Poll]) -> None:
        """``polls`` in order of their numbers; an unchanged list stands in the one before, a failed poll has none."""
        shown: dict[str, tuple[str, ...]] = {}
        executors: tuple[Seen, ...] = ()
        made = []
        for poll in polls:
            if not poll.same:
                executors, shown = poll.executors, _statuses(poll.executors)
            made.append(Sight(poll, executors, shown))
        self.all: Sequence[Sight] = sorted(made, key=lambda sight: sight.at_ns)
        self._losses: dict[str, tuple[list[int], list[int]]] = {}

    @cached_property
    def _at_ns(self) -> list[int]:
        return [sight.at_ns for sight in self.all]

    @cached_property
    def _asked_by_ns(self) -> list[int]:
        """For each list the latest asking of any up to it: tells where looking further back is in vain."""
        latest_ns, found = -1, []
        for sight in self.all:
            latest_ns = max(latest_ns, sight.asked_ns)
            found.append(latest_ns)
        return found

    def before(self, moment_ns: int, *, asked_after_ns: int = -1) -> Sight | None:
        """The last list that was answered before the moment, of those that were asked for after another."""
        for place in range(bisect_left(self._at_ns, moment_ns) - 1, -1, -1):
            if self._asked_by_ns[place] <= asked_after_ns:
                return None
            if self.all[place].asked_ns > asked_after_ns:
                return self.all[place]
        return None

    def after(self, moment_ns: int) -> Sight | None:
        """The first list to be answered of those that were asked for after the moment."""
        for place in range(bisect_right(self._at_ns, moment_ns), len(self.all)):
            if self.all[place].asked_ns > moment_ns:
                return self.all[place]
        return None

    def lost_ns(self, executor: str, after_ns: int) -> int | None:
        """Of the lists answered after the moment that don't show the executor HEALTHY: the earliest asking."""
        if executor not in self._losses:
            self._losses[executor] = self._found_losses(executor)
        at_ns, earliest_ns = self._losses[executor]
        place = bisect_right(at_ns, after_ns)
        return earliest_ns[place] if place < len(at_ns) else None

    def _found_losses(self, executor: str) -> tuple[list[int], list[int]]:
        """When the lists without the HEALTHY executor were answered, and the earliest asking from each of them on."""
        without = [sight for sight in self.all if "HEALTHY" not in sight.statuses(executor)]
        earliest_ns = [sight.asked_ns for sight in without]
        for place in range(len(without) - 2, -1, -1):
            earliest_ns[place] = min(earliest_ns[place], earliest_ns[place + 1])
        return [sight.at_ns for sight in without], earliest_ns


def _statuses(executors: Iterable[Seen]) -> dict[str, tuple[str, ...]]:
    """Every status that a list shows for each id, in capitals: a relay may show one id twice."""
    shown: dict[str, tuple[str, ...]] = {}
    for seen in executors:
        shown[seen.executor] = (*shown.get(seen.executor, ()), seen.status.upper())
    return shown
