"""Shrinking: what matters stays, the rest goes, and it ends."""

from __future__ import annotations

import msgspec

import broken_relays
from scenarios.schedule import CallAt, FaultAt, Member, Schedule
from simulator.search.play import play
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


def test_calls_are_listed_and_left_out_until_one_is_left() -> None:
    given = schedule(FaultAt("cut", 31.4, "b"), executors=3, workload={"workflows": 4, "calls": 40.0})
    core = broken_relays.find("notifications-unread").core
    assert play(given, core).clause == "MSG-get_workflow_notifications"
    small = Shrinker(lambda each: play(each, core).clause == "MSG-get_workflow_notifications").shrink(given)
    assert small.faults == () and len(small.executors) == 1 and small.workload == {"workflows": 0}
    (call,) = small.calls
    assert size(small) == 1 and call.type == "get_workflow_notifications"
    assert [row["consumed"] for row in call.answers["notifications"]] == [True]
    assert set(call.answers["notifications"][0]) == {"message", "created_at_epoch_ms", "consumed"}


def test_what_a_call_says_becomes_plainer_as_long_as_it_is_lawful() -> None:
    request = {"body": {"load_input": True, "load_output": True, "status": ["PENDING", "ERROR"], "limit": 7}}
    call = CallAt("list_workflows", 33.3, request=msgspec.json.encode(request).decode(), version="v1")
    given = schedule(calls=(call,))
    small = Shrinker(lambda each: "status" in str(each.calls)).shrink(given)
    (left,) = small.calls
    body = left.fields["body"]
    assert (left.at_s, left.version) == (10.0, None)
    assert body.keys() == {"load_input", "load_output", "status"} and len(body["status"]) == 1


def test_a_call_alone_may_go_to_another_executor() -> None:
    """Who is asked depends on a call's number and on who is there: then both change together."""
    calls = tuple(CallAt("get_queue", 5.0 + at, request='{"name": "q"}') for at in range(4))
    given = schedule(FaultAt("wrong-answer", 1.0, "b"), executors=3, calls=calls)

    def fails(each: Schedule) -> bool:
        return bool(each.faults) and (len(each.calls), len(each.executors)) in ((4, 3), (1, 1))

    small = Shrinker(fails).shrink(given)
    assert len(small.calls) == 1 and [member.label for member in small.executors] == ["b"]
