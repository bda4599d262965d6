"""Management calls in a run: the same whatever happens in it, listed or drawn, and the monitor as their judge."""

from __future__ import annotations

import pytest

import broken_relays
from reference_relay.core.core import Core
from scenarios.schedule import CallAt, FaultAt, Member, Schedule
from simulator.models.calls import form_of, listed, planned
from simulator.search.play import play
from simulator.search.simpler import with_listed_calls
from simulator.search.swarm import draw, schedule_seed
from tests.simulator.fleets import schedule

BUSY = {"workflows": 0, "calls": 60.0}


def _once(call: CallAt, *faults: FaultAt, **fields: object) -> Schedule:
    return schedule(*faults, calls=(call,), duration_s=30.0, **fields)  # type: ignore[arg-type]


def test_drawn_calls_depend_on_the_schedule_alone() -> None:
    given = schedule(executors=3, workload=BUSY)
    killed = schedule(FaultAt("kill", 5.0, "a"), FaultAt("relay-kill", 9.0, "relay"), executors=3, workload=BUSY)
    assert list(planned(given)) == list(planned(killed)) and len(listed(given)) > 50
    assert len({call.type for call in planned(given)}) > 20


def test_listed_calls_are_the_drawn_ones() -> None:
    drawn = [each for each in (draw(schedule_seed(5, number)) for number in range(12)) if each.workload.get("calls")]
    assert drawn
    for given in drawn[:3]:
        again = with_listed_calls(given)
        assert "calls" not in again.workload
        assert play(given, Core).digest == play(again, Core).digest


def test_values_are_told_apart_by_their_type() -> None:
    assert len({form_of({"type": "t", "request_id": "r", "x": value}) for value in (1, 1.0, True, "1", None)}) == 5
    assert form_of({"type": "t", "request_id": "r-1", "b": 1, "a": 2}) == form_of({"a": 2, "b": 1, "request_id": "r-2"})


def test_two_alike_in_the_same_instant_are_one() -> None:
    call = CallAt("list_queues", 5.0)
    assert play(schedule(calls=(call, call)), Core).calls == 1
    assert play(schedule(calls=(call, CallAt("list_queues", 6.0))), Core).calls == 2


_QUEUE = '{"output": {"name": "q", "priority_enabled": false, "partition_queue": false, "polling_interval_sec": 1.5}}'


@pytest.mark.parametrize(
    ("defect", "call", "clause"),
    [
        ("cuts-schedule-names", CallAt("pause_schedule", 5.0, request='{"schedule_name": "a/b"}'),
         "MSG-pause_schedule"),
        ("backfills-without-offset", CallAt("backfill_schedule", 5.0, request=(
            '{"schedule_name": "n", "start": "2026-01-02T03:04:05.678+00:00", "end": "2026-01-03T03:04:05.678+00:00"}'
        )), "MSG-backfill_schedule"),
        ("whole-seconds-of-queues", CallAt("get_queue", 5.0, request='{"name": "q"}', answer=_QUEUE), "MSG-get_queue"),
        ("delivers-once", CallAt("alert", 5.0, request='{"name": "SlowQueue", "message": "m", "metadata": {}}',
         answer='{"success": false}'), "MSG-alert"),
        ("slow-queues-unsaid", CallAt("alert", 5.0, request='{"name": "SlowQueue", "message": "m", "metadata": {}}'),
         "ENV-9"),
    ],
)  # fmt: skip
def test_what_a_defect_does_to_a_call(defect: str, call: CallAt, clause: str) -> None:
    given = _once(call, executors=1)
    assert play(given, broken_relays.find(defect).core).clause == clause
    assert play(given, Core).violations == ()


def test_what_the_defect_leaves_alone_is_no_finding() -> None:
    call = CallAt(
        "alert", 5.0, request='{"name": "SlowQueue", "message": "m", "metadata": {}}', answer='{"success": true}'
    )
    assert play(_once(call), broken_relays.find("delivers-once").core).violations == ()


def test_a_list_in_place_of_one_record() -> None:
    request = '{"workflow_id": "w", "load_input": false, "load_output": false}'
    call = CallAt("get_workflow", 5.0, request=request, answer='{"output": {"WorkflowUUID": "w", "Status": "SUCCESS"}}')
    given = _once(call, FaultAt("wrong-answer", 1.0, "a"), executors=1)
    assert play(given, broken_relays.find("takes-the-first-of-a-list").core).clause == "ENV-5"
    assert play(given, Core).violations == ()


@pytest.mark.parametrize("version", ["v1", "v2", "v3"])
def test_only_executors_of_the_version_are_asked(version: str) -> None:
    """v3 is nobody's: then nobody is asked, and that is right."""
    calls = tuple(
        CallAt("resume", 5.0 + at, request=f'{{"workflow_id": "w{at}"}}', version=version) for at in range(6)
    )  # fmt: skip
    given = schedule(calls=calls, members=(Member("a"), Member("b", version="v2")))
    assert play(given, broken_relays.find("resumes-on-any-version").core).clause == "API-7"
    assert play(given, Core).violations == ()
