"""From a schedule that breaks a relay to a small one that breaks the same clause.

Delta debugging over the faults and the calls, then one thing after the other: members, workload, settings, timing,
durations, round numbers, what calls say. Every step keeps what still fails; the result is smallest in the sense that no
single step makes it smaller.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from scenarios.schedule.errors import ScheduleError
from scenarios.schedule.file import Schedule, check
from simulator.search.simpler import simpler, with_listed_calls

Fails = Callable[[Schedule], bool]
Item = TypeVar("Item")
MOST_PLAYS = 600
"""How many schedules a shrinking may play."""


class Shrinker:
    """Plays at most ``most`` schedules; ``fails`` tells whether one still breaks the clause."""

    def __init__(self, fails: Fails, most: int = MOST_PLAYS) -> None:
        self._fails = fails
        self._left = most
        self._tried: dict[str, bool] = {}
        self.plays = 0

    def shrink(self, schedule: Schedule) -> Schedule:
        """The smallest that it finds; the schedule itself where it does not fail."""
        best = self._without_drawn_calls(schedule)
        best = replace(best, faults=self._fewer(best.faults, lambda faults: replace(best, faults=faults)))
        best = replace(best, calls=self._fewer(best.calls, lambda calls: replace(best, calls=calls)))
        while self._left > 0:
            smaller = next((each for each in simpler(best) if self._still(each)), None)
            if smaller is None:
                return best
            best = smaller
        return best

    def _without_drawn_calls(self, schedule: Schedule) -> Schedule:
        """None at all where none matters; else those that were drawn, listed."""
        if "calls" not in schedule.workload:
            return schedule
        listed = with_listed_calls(schedule)
        return next((each for each in (replace(listed, calls=()), listed) if self._still(each)), schedule)

    def _fewer(self, items: tuple[Item, ...], having: Callable[[tuple[Item, ...]], Schedule]) -> tuple[Item, ...]:
        """Zeller's ddmin: leave out halves, then quarters, and so on."""
        parts = 2
        if items and self._still(having(())):
            return ()
        while len(items) >= 2 and self._left > 0:
            size = -(-len(items) // parts)
            chunks = [items[at : at + size] for at in range(0, len(items), size)]
            for at in range(len(chunks)):
                rest = tuple(each for other, chunk in enumerate(chunks) if other != at for each in chunk)
                if self._still(having(rest)):
                    items, parts = rest, max(parts - 1, 2)
                    break
            else:
                if size == 1:
                    break
                parts = min(2 * parts, len(items))
        return items

    def _still(self, schedule: Schedule) -> bool:
        key = repr(schedule)
        if key in self._tried:
            return self._tried[key]
        if self._left <= 0:
            return False
        try:
            check(schedule, schedule.name)
        except ScheduleError:
            return False
        self._left -= 1
        self.plays += 1
        found = self._tried[key] = self._fails(schedule)
        return found


def size(schedule: Schedule) -> int:
    """How many events it has: faults, and calls that it lists."""
    return len(schedule.faults) + len(schedule.calls)
