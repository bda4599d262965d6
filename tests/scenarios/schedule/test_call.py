"""Calls in schedule files: there and back, and a sentence for everything that is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from scenarios.schedule import CallAt, Member, Schedule, ScheduleError
from scenarios.schedule.call import OPERATIONS
from scenarios.schedule.file import check, dumps, loads


def _with(**fields: Any) -> Schedule:
    call = CallAt(**{"type": "get_queue", "at_s": 5.0, "request": '{"name": "q"}', **fields})
    return Schedule(name="calls", seed=1, duration_s=60.0, executors=(Member("a"),), calls=(call,))


def test_a_call_comes_back_from_its_file() -> None:
    given = _with(answer='{"output": null}', version="v2")
    again = loads(dumps(given), "again")
    assert again == given
    assert again.calls[0].fields == {"name": "q"} and again.calls[0].answers == {"output": None}


def test_requests_of_the_relays_own_are_no_operations() -> None:
    assert len(OPERATIONS) == 29 and not {"executor_info", "recovery", "exist_pending_workflows"} & set(OPERATIONS)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"type": "get_qeue"}, "did you mean get_queue?"),
        ({"type": "recovery"}, "type is 'recovery'"),
        ({"at_s": 61.0}, "at_s is 61"),
        ({"app": "shop"}, "app is 'shop'"),
        ({"request": "{"}, "request is not JSON"),
        ({"request": "[]"}, "request is no JSON object"),
        ({"request": "{}"}, "must always carry name"),
        ({"type": "backfill_schedule", "request": '{"schedule_name": "n", "start": "now", "end": "now"}'}, "start is"),
        ({"answer": '{"output": []}'}, "answer:"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(ScheduleError) as raised:
        check(_with(**fields), "here")
    assert said in str(raised.value) and str(raised.value).startswith("here: calls, number 1")


def test_an_unknown_key_is_told_with_those_that_there_are() -> None:
    text = dumps(_with()).replace("at_s", "at")
    with pytest.raises(ScheduleError, match=r"unknown key at.*allowed: type, at_s"):
        loads(text, "here")
