"""Shrinking: what matters stays, the rest goes, and it ends."""

from __future__ import annotations

from scenarios.schedule import FaultAt, Member, Schedule
from simulator.search.shrink import Shrinker, size
from simulator.search.swarm import draw, schedule_seed
from tests.simulator.fleets import schedule


def _has(given: Schedule, *faults: str) -> bool:
    return set(faults) <= {fault.fault for fault in given.faults}


def test_only_what_is_needed_is_left() -> None:
    noise = [FaultAt("cut", 3.7 + at, "a") for at in range(11)]
    given = schedule(*noise[:5], FaultAt("kill", 31.4, "b"), *noise[5:], FaultAt("pause", 55.5, "c", 7.7), executors=4)
    small = Shrinker(lambda each: _has(each, "kill", "pause")).shrink(given)
    assert [(fault.fault, fault.at_s, fault.for_s) for fault in small.faults] == [
        ("kill", 30.0, None), ("pause", 60.0, 8.0),
    ]  # fmt: skip
    assert [member.label for member in small.executors] == ["b", "c"]
    assert small.timing == {} and small.workload == {"workflows": 0}


def test_what_needs_its_members_and_time_keeps_them() -> None:
    given = schedule(FaultAt("kill", 31.4, "b"), executors=3, workload={"workflows": 9, "calls": 40.0})

    def fails(each: Schedule) -> bool:
        return len(each.executors) == 3 and each.faults[:1] == given.faults and int(each.work()["workflows"]) >= 4

    small = Shrinker(lambda each: bool(each.faults) and fails(each)).shrink(given)
    assert len(small.executors) == 3 and small.faults == given.faults
    assert small.workload == {"workflows": 4}


def test_a_schedule_that_fails_without_faults() -> None:
    given = schedule(FaultAt("cut", 5.0, "a"), FaultAt("cut", 6.0, "b"), members=(Member("a", "go"), Member("b", "go")))
    small = Shrinker(lambda each: True).shrink(given)
    assert size(small) == 0 and small.executors == (Member("b"),)


def test_the_number_of_plays_is_bounded() -> None:
    shrinker = Shrinker(lambda each: len(each.faults) > 1, most=9)
    shrinker.shrink(draw(schedule_seed(1, 4)))
    assert shrinker.plays <= 9


def test_a_schedule_that_does_not_fail_stays_as_it_is() -> None:
    given = schedule(FaultAt("cut", 5.0, "a"))
    assert Shrinker(lambda each: False).shrink(given) == given
