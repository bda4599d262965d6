"""The tables behind the MSG scenarios: complete, and about what they say."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

import reference_relay.server.api.app  # noqa: F401 - importing it registers the operations
from conductor.catalogue import CATALOGUE, EXECUTOR_MESSAGES
from conductor.timing import FAST
from evidence.events import Expect, Request
from reference_relay.server.api.operation import OPERATIONS
from scenarios import catalogue
from scenarios.catalogue.api.every import every_request
from scenarios.catalogue.api.shapes import BARE_LISTS, EMPTY, OBJECTS, deviations
from scenarios.catalogue.message.exchanges import EXCHANGES
from scenarios.operations import ROUTES
from scenarios.world import App
from scenarios.worlds import SessionOptions
from simulator.world import SimulatedSession
from tests.scenarios.catalogue.playing import REFERENCE

OWN = {"executor_info", "recovery", "exist_pending_workflows", "retention", "get_metrics", "alert"}
"""What only the relay itself starts."""


class Application:
    org = "local"
    name = "shop"
    grace_s = 1.0


def test_every_message_is_exchanged_or_started_by_the_relay() -> None:
    assert set(EXCHANGES) | OWN == set(EXECUTOR_MESSAGES)
    assert not set(EXCHANGES) & OWN
    assert all(catalogue.select([f"MSG-{type}"]) for type in EXECUTOR_MESSAGES)


@pytest.mark.parametrize("type", EXCHANGES)
def test_the_cases_name_fields_of_the_message_and_operations_that_send_it(type: str) -> None:
    spec = CATALOGUE[type]
    fields = set(spec.request.__struct_encode_fields__)
    body = spec.request.__annotations__.get("body")
    assert ("body" in fields) == (body is not None)
    for case in EXCHANGES[type].cases:
        assert type in OPERATIONS[case.call.operation].sends
        assert set(case.sent) <= fields
        assert set(case.answered) <= set(spec.response.__struct_encode_fields__)
        assert case.status == OPERATIONS[case.call.operation].status


@pytest.mark.parametrize("type", EXCHANGES)
def test_each_exchange_calls_what_it_is_about(type: str) -> None:
    options = SessionOptions(profile=REFERENCE, timing=FAST, seed=1, folder=Path())
    history = SimulatedSession(options).simulate(catalogue.find(f"MSG-{type}/asked")).history()
    called = [event.op for event in history.of(Request) if event.op in ROUTES]
    assert called == [case.call.operation for case in EXCHANGES[type].cases]
    assert len([each for each in history.of(Expect) if each.clause == f"MSG-{type}"]) >= 3 * len(called)


@pytest.mark.parametrize("name", ROUTES)
def test_routes_are_the_documented_ones(name: str) -> None:
    operation = OPERATIONS[name]
    path = operation.path.removeprefix("/v2/orgs/{orgName}/apps/{appName}")
    route = ROUTES[name]
    assert route.method == operation.method
    assert route.path.replace(f"{{{route.parameter}}}", "{}") == path.replace(_parameter(path), "{}")


def _parameter(path: str) -> str:
    return "{" + path.partition("{")[2].partition("}")[0] + "}"


def test_every_request_is_every_public_operation() -> None:
    app: App = Application()
    requests = {each.name: each for each in every_request(app, "resident", "intruder")}
    public = {name for name, each in OPERATIONS.items() if not each.extension and each.permission is not None}
    assert set(requests) == public
    assert {name: each.permission for name, each in requests.items()} == {
        name: OPERATIONS[name].permission for name in public
    }


@pytest.mark.parametrize("name", [*BARE_LISTS, *OBJECTS])
def test_shapes_are_those_of_the_document(name: str) -> None:
    """The reference's own are checked against the published document elsewhere."""
    answer = OPERATIONS[name].answer
    kind = answer.__args__[0] if name in BARE_LISTS else answer
    shape = BARE_LISTS.get(name) or OBJECTS[name]
    assert set(shape) == set(kind.__struct_encode_fields__)
    absent = {field.encode_name for field in msgspec.structs.fields(kind) if field.default is msgspec.UNSET}
    assert {field for field, text in shape.items() if text.endswith("~")} == absent


def test_operations_without_a_body_are_those_of_the_document() -> None:
    assert all(OPERATIONS[name].answer is None for name in EMPTY)


_EVENT = {"key": "paid", "value": "true"}


@pytest.mark.parametrize(
    ("operation", "body", "found"),
    [
        ("list_workflow_events", [_EVENT], []),
        ("list_workflow_events", [{**_EVENT, "$schema": "x"}], []),
        ("list_workflow_events", {"items": [_EVENT]}, ["dict instead of a bare array"]),
        ("list_workflow_events", [{"key": "paid"}], ["[0].value is absent"]),
        ("list_workflow_events", [{**_EVENT, "at": 1}], ["[0].at is no field of the document"]),
        ("list_workflow_events", [{**_EVENT, "value": None}], ["[0].value is 'None', not text"]),
        ("get_step_aggregates", [{"group": {}}], []),
        ("get_step_aggregates", [{"group": {}, "count": None}], ["[0].count is 'None', not integer~"]),
        ("get_step_aggregates", [{"group": {}, "count": True}], ["[0].count is 'True', not integer~"]),
        ("fork_workflow", {"workflowId": 7}, ["workflowId is '7', not text"]),
        ("fork_workflow", None, ["NoneType instead of an object"]),
        ("cancel_workflow", None, []),
        ("cancel_workflow", {}, ["a body where there is none: {}"]),
    ],
)
def test_deviations_are_told(operation: str, body: Any, found: list[str]) -> None:
    assert deviations(operation, body) == found


def test_a_time_is_rfc_3339_and_null_stands_where_nothing_is_set() -> None:
    row: Mapping[str, Any] = {"topic": None, "message": "", "createdAt": "2026-01-02T03:04:05Z", "consumed": False}
    assert deviations("list_workflow_notifications", [row]) == []
    assert deviations("list_workflow_notifications", [{**row, "createdAt": 1700000000123}]) == [
        "[0].createdAt is '1700000000123', not time"
    ]
