"""From a schedule that breaks a relay to a small one that breaks the same clause.

Delta debugging over the faults, then one thing after the other: members, workload, settings, timing, durations, round
numbers. Every step keeps what still fails; the result is smallest in the sense that no single step makes it smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from scenarios.schedule.errors import ScheduleError
from scenarios.schedule.file import FaultAt, Schedule, check

Fails = Callable[[Schedule], bool]
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
        best = replace(schedule, faults=self._fewer(schedule))
        while self._left > 0:
            smaller = next((each for each in _simpler(best) if self._still(each)), None)
            if smaller is None:
                return best
            best = smaller
        return best

    def _fewer(self, schedule: Schedule) -> tuple[FaultAt, ...]:
        """Zeller's ddmin: leave out halves, then quarters, and so on."""
        faults, parts = schedule.faults, 2
        if faults and self._still(replace(schedule, faults=())):
            return ()
        while len(faults) >= 2 and self._left > 0:
            size = -(-len(faults) // parts)
            chunks = [faults[at : at + size] for at in range(0, len(faults), size)]
            for at in range(len(chunks)):
                rest = tuple(fault for other, chunk in enumerate(chunks) if other != at for fault in chunk)
                if self._still(replace(schedule, faults=rest)):
                    faults, parts = rest, max(parts - 1, 2)
                    break
            else:
                if size == 1:
                    break
                parts = min(2 * parts, len(faults))
        return faults

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
    """How many events it has: faults."""
    return len(schedule.faults)


def _simpler(schedule: Schedule) -> Iterator[Schedule]:
    """Every schedule that is one step smaller, the biggest steps first."""
    for at in range(len(schedule.faults)):
        yield replace(schedule, faults=_without(schedule.faults, at))
    used = {fault.on for fault in schedule.faults}
    for at, member in enumerate(schedule.executors):
        if member.label not in used and len(schedule.executors) > 1:
            yield replace(schedule, executors=(*schedule.executors[:at], *schedule.executors[at + 1 :]))
    yield from _less_work(schedule)
    if schedule.settings:
        yield replace(schedule, settings={})
    for name in schedule.timing:
        yield replace(schedule, timing={key: value for key, value in schedule.timing.items() if key != name})
    yield from _shorter(schedule)
    yield from _plainer_members(schedule)


def _without(faults: Sequence[FaultAt], at: int) -> tuple[FaultAt, ...]:
    return (*faults[:at], *faults[at + 1 :])


def _less_work(schedule: Schedule) -> Iterator[Schedule]:
    work = schedule.workload
    if work.get("workflows") != 0 or "calls" in work:
        yield replace(schedule, workload={"workflows": 0})
    if "calls" in work:
        yield replace(schedule, workload={key: value for key, value in work.items() if key != "calls"})
    for count in (1, 4):
        if int(schedule.work()["workflows"]) > count:
            yield replace(schedule, workload={**work, "workflows": count})
    for name in ("steps", "step_s", "start_s"):
        if name in work:
            yield replace(schedule, workload={key: value for key, value in work.items() if key != name})


def _shorter(schedule: Schedule) -> Iterator[Schedule]:
    last_s = max((fault.at_s + (fault.for_s or 0.0) for fault in schedule.faults), default=0.0)
    for duration_s in (30.0, 60.0, 120.0):
        if max(last_s, 1.0) <= duration_s < schedule.duration_s:
            yield replace(schedule, duration_s=duration_s)
    for at, fault in enumerate(schedule.faults):
        for round_s in (float(round(fault.at_s, -1)), float(round(fault.at_s))):
            if round_s != fault.at_s and 1.0 <= round_s <= schedule.duration_s:
                yield _with(schedule, at, replace(fault, at_s=round_s))
                break
        if fault.args:
            yield _with(schedule, at, replace(fault, args={}))
        if fault.for_s is not None and fault.for_s != float(round(fault.for_s)) and round(fault.for_s) > 0:
            yield _with(schedule, at, replace(fault, for_s=float(round(fault.for_s))))


def _with(schedule: Schedule, at: int, fault: FaultAt) -> Schedule:
    changed = (*schedule.faults[:at], fault, *schedule.faults[at + 1 :])
    return replace(schedule, faults=tuple(sorted(changed, key=lambda each: (each.at_s, each.fault, each.on))))


def _plainer_members(schedule: Schedule) -> Iterator[Schedule]:
    for at, member in enumerate(schedule.executors):
        for change in ({"language": "python"}, {"version": "v1"}, {"app": "app"}):
            plainer = replace(member, **change)
            if plainer != member:
                executors = (*schedule.executors[:at], plainer, *schedule.executors[at + 1 :])
                yield replace(schedule, executors=executors)
