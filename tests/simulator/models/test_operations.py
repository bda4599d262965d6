"""What callers ask and executors answer: lawful messages of every type, with the values that matter."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest

from conductor.catalogue import CATALOGUE
from conductor.codec import decode_response_as
from conductor.sendable import violations
from scenarios.schedule.call import OPERATIONS
from simulator.models.operations import confused, draw_answer, draw_request

DRAWS = 400
ODD: dict[str, Any] = {
    "true": lambda value: value is True,
    "false": lambda value: value is False,
    "null": lambda value: value is None,
    "zero": lambda value: value == 0 and type(value) is int,
    "beyond a double": lambda value: type(value) is int and float(value) != value,
    "a fraction": lambda value: isinstance(value, float) and value != int(value),
    "an empty text": lambda value: value == "",
    "a slash": lambda value: isinstance(value, str) and "/" in value,
    "a quote": lambda value: isinstance(value, str) and '"' in value,
    "no ASCII": lambda value: isinstance(value, str) and not value.isascii(),
    "capitals": lambda value: isinstance(value, str) and value.lower() != value,
    "a long text": lambda value: isinstance(value, str) and len(value) > 255,
    "an empty list": lambda value: value == [],
    "a list of several": lambda value: isinstance(value, list) and len(value) > 1,
    "an empty object": lambda value: value == {},
}


def _frame(type_: str, fields: dict[str, Any]) -> bytes:
    return msgspec.json.encode({"type": type_, "request_id": "r-1", **fields})


def _within(value: Any) -> Iterator[Any]:
    yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _within(each)


@pytest.mark.parametrize("type_", OPERATIONS)
def test_requests_survive_every_sdk_and_answers_can_be_read(type_: str) -> None:
    random = Random(1)
    for number in range(DRAWS):
        asked = _frame(type_, draw_request(type_, random, f"c{number}"))
        # Java's early look for imports is the encoder's affair: it escapes the text.
        assert [each for each in violations("text", asked) if each.rule != "java-import-sniff"] == [], asked
        decode_response_as(_frame(type_, draw_answer(type_, random, f"a{number}")), CATALOGUE[type_].response)


def test_values_that_are_easily_taken_for_others() -> None:
    random = Random(2)
    answers = [draw_answer(type_, random, "a") for _ in range(DRAWS) for type_ in OPERATIONS]
    requests = [draw_request(type_, random, "c") for _ in range(DRAWS) for type_ in OPERATIONS]
    values = [each for answer in answers for each in _within(answer)]
    assert [name for name, is_it in ODD.items() if not any(is_it(value) for value in values)] == []
    values = [each for request in requests for each in _within(request)]
    unasked = {"a fraction", "an empty text", "an empty list"}  # no SDK must get them, or could tell them apart
    assert [name for name in ODD.keys() - unasked if not any(ODD[name](value) for value in values)] == []


def test_every_field_of_a_request_comes_and_goes() -> None:
    random = Random(3)
    for type_ in ("list_workflows", "get_workflow_aggregates", "fork_from_failure"):
        drawn = [draw_request(type_, random, "c")["body"] for _ in range(DRAWS)]
        known = CATALOGUE[type_].request.__annotations__ and {name for body in drawn for name in body}
        everywhere = {name for name in known if all(name in body for body in drawn)}
        fields = _fields_of(type_)
        assert known == fields and everywhere < fields


def _fields_of(type_: str) -> set[str]:
    info = msgspec.inspect.type_info(CATALOGUE[type_].request)
    assert isinstance(info, msgspec.inspect.StructType)
    body = next(field.type for field in info.fields if field.name == "body")
    assert isinstance(body, msgspec.inspect.StructType)
    return {field.encode_name for field in body.fields}


def test_the_same_seed_draws_the_same() -> None:
    first, second = ([draw_request("list_workflows", Random(seed), "c") for seed in range(50)] for _ in range(2))
    assert first == second


def test_one_record_taken_for_a_list() -> None:
    assert confused("get_queue", {"output": {"name": "q"}}) == ("list_queues", {"output": [{"name": "q"}]})
    assert confused("get_queue", {"output": None})[1] == {"output": []}
    assert confused("alert", {})[0] == "recovery" and confused("cancel", {})[0] == "alert"
