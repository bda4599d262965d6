"""The rules for senders (ENV-12), one by one: what breaks each, whom it hurts, and that `encode` never builds it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from protocol_facts import MESSAGES, detail, full_request_fields, nullable, request_frame, wrong_values

from conductor import codec
from conductor.catalogue import CATALOGUE
from conductor.errors import EncodeError
from conductor.messages import (
    AlertRequest,
    BackfillScheduleRequest,
    CancelRequest,
    DeleteRequest,
    ForkFromFailureBody,
    ForkFromFailureRequest,
    ForkWorkflowBody,
    ForkWorkflowRequest,
    GetStepAggregatesBody,
    GetStepAggregatesRequest,
    GetWorkflowAggregatesBody,
    GetWorkflowAggregatesRequest,
    GetWorkflowRequest,
    ImportWorkflowRequest,
    ListQueuesRequest,
    ListWorkflowsBody,
    ListWorkflowsRequest,
    RecoveryRequest,
    RequestBase,
    RetentionBody,
    RetentionRequest,
)
from conductor.sendable import Harm, Violation, violations

EXAMPLES = {kind: facts["example"] for kind, facts in MESSAGES.items()}
FLAT_FIELDS = [(kind, field, fact) for kind, facts in MESSAGES.items() for field, fact in facts["request"].items()]
ALWAYS = [(kind, field) for kind, field, fact in FLAT_FIELDS if detail(fact) == "always"]
FLAGS = [(kind, field) for kind, field, fact in FLAT_FIELDS if fact.split()[0] == "boolean"]
FILTERS = [
    (kind, field) for kind, field, fact in FLAT_FIELDS if "array" in fact.split()[0] and detail(fact) != "always"
]
TIMES = [(kind, field) for kind, field, fact in FLAT_FIELDS if fact.startswith("timestamp")]
BODIES = [kind for kind, facts in MESSAGES.items() if facts["nesting"] == "body"]


def judge(frame: Any) -> dict[str, Violation]:
    found = violations("text", json.dumps(frame).encode())
    return {violation.rule: violation for violation in found}


def with_field(kind: str, field: str, value: Any) -> dict[str, Any]:
    """The portable example of a type with one more field."""
    example: dict[str, Any] = EXAMPLES[kind]
    if MESSAGES[kind]["nesting"] == "body":
        return {**example, "body": {**example["body"], field: value}}
    return {**example, field: value}


def without_field(kind: str, field: str) -> dict[str, Any]:
    frame = with_field(kind, field, None)
    del (frame["body"] if MESSAGES[kind]["nesting"] == "body" else frame)[field]
    return frame


@pytest.mark.parametrize("kind", MESSAGES)
def test_a_portable_example_breaks_no_rule(kind: str) -> None:
    assert judge(EXAMPLES[kind]) == {}


def test_text_only() -> None:
    [violation] = violations("binary", json.dumps(EXAMPLES["recovery"]).encode())
    assert violation.rule == "text-only" and violation.kills["go"] is Harm.DISCONNECT and violation.fatal


@pytest.mark.parametrize("payload", [b"", b"{", b"\xff", b'{"type":"cancel"} x', b'{"a":NaN}', b"[" * 100_000])
def test_valid_json(payload: bytes) -> None:
    [violation] = violations("text", payload)
    assert violation.rule == "valid-json" and violation.kills["typescript"] is Harm.PROCESS_EXIT and violation.fatal


@pytest.mark.parametrize("frame", [[EXAMPLES["recovery"]], None, "text", 7])
def test_one_object(frame: Any) -> None:
    found = judge(frame)
    assert list(found) == ["one-object"] and found["one-object"].kills["python"] is Harm.DISCONNECT


@pytest.mark.parametrize(("value", "go"), [(7, Harm.NO_REPLY), (None, Harm.ERROR_REPLY)])
def test_type_string(value: Any, go: Harm) -> None:
    found = judge({"type": value, "request_id": "r"})
    assert list(found) == ["type-string"] and found["type-string"].kills["go"] is go
    assert list(judge({"request_id": "r"})) == ["type-string"]


def test_known_type() -> None:
    found = judge({"type": "frobnicate", "request_id": "r"})
    assert list(found) == ["known-type"] and not found["known-type"].fatal


@pytest.mark.parametrize(("value", "go"), [(7, Harm.NO_REPLY), (None, Harm.MISREAD)])
def test_request_id_string(value: Any, go: Harm) -> None:
    found = judge({"type": "executor_info", "request_id": value})
    assert list(found) == ["request-id-string"] and found["request-id-string"].kills["go"] is go
    assert list(judge({"type": "executor_info"})) == ["request-id-string"]


@pytest.mark.parametrize("kind", BODIES)
def test_body_present(kind: str) -> None:
    head = {"type": kind, "request_id": "r"}
    absent, null = judge(head), judge({**head, "body": None})
    if kind == "list_queues":  # the one body that all four SDKs can do without, though not as null
        assert absent == {}
    else:
        assert absent["body-present"].kills["python"] is Harm.DISCONNECT
    assert null["body-present"].kills["python"] is Harm.ERROR_REPLY
    assert list(judge({**head, "body": ["x"]})) == ["wrong-type:body"]


def test_a_missing_body_ends_a_typescript_process_where_that_was_seen() -> None:
    fatal = {
        kind
        for kind in BODIES
        if (found := judge({"type": kind, "request_id": "r"}))
        and found["body-present"].kills.get("typescript") is Harm.PROCESS_EXIT
    }
    assert fatal == {
        "list_workflows",
        "list_queued_workflows",
        "fork_workflow",
        "list_schedules",
        "get_workflow_aggregates",
        "get_step_aggregates",
    }


@pytest.mark.parametrize(("kind", "field"), ALWAYS)
def test_always_field(kind: str, field: str) -> None:
    found = judge(without_field(kind, field))
    assert list(found) == [f"always-field:{field}"]
    assert found[f"always-field:{field}"].kills and field in found[f"always-field:{field}"].message


@pytest.mark.parametrize(("kind", "field"), [("delete", "delete_children"), ("fork_workflow", "new_workflow_id")])
def test_always_fields_that_cost_python_its_socket(kind: str, field: str) -> None:
    assert judge(without_field(kind, field))[f"always-field:{field}"].kills["python"] is Harm.DISCONNECT


@pytest.mark.parametrize(("kind", "field"), FILTERS)
def test_no_empty_filter_array(kind: str, field: str) -> None:
    found = judge(with_field(kind, field, []))
    assert set(found) - {"paired-filters"} == {"no-empty-filter-array"}
    assert "typescript" in found["no-empty-filter-array"].kills


def test_an_empty_array_is_no_filter_where_it_must_be_sent() -> None:
    assert judge({**EXAMPLES["recovery"], "executor_ids": []}) == {}
    assert judge(with_field("list_workflows", "attributes", {"tags": []})) == {}


@pytest.mark.parametrize(("kind", "field"), FLAGS)
def test_no_null_flag(kind: str, field: str) -> None:
    found = judge(with_field(kind, field, None))
    assert "no-null-flag" in found
    expected = "typescript" if field in ("was_forked_from", "has_parent") else "java"
    assert expected in found["no-null-flag"].kills


@pytest.mark.parametrize(("kind", "field", "fact"), FLAT_FIELDS)
def test_wrong_type(kind: str, field: str, fact: str) -> None:
    for value in wrong_values(fact):
        found = judge(with_field(kind, field, value))
        assert found[f"wrong-type:{field}"].kills["java"] is Harm.ERROR_REPLY
    if not nullable(fact) and fact.split()[0] != "boolean":
        assert f"wrong-type:{field}" in judge(with_field(kind, field, None))


def test_a_bare_string_for_an_array_of_an_aggregate_hurts_java_alone() -> None:
    aggregates = judge(with_field("get_step_aggregates", "status", "SUCCESS"))
    cancel = judge(with_field("cancel", "workflow_ids", "w"))
    assert not aggregates["wrong-type:status"].fatal
    assert cancel["wrong-type:workflow_ids"].kills["go"] is Harm.NO_REPLY


def test_an_alert_value_that_is_no_text_is_never_answered_by_go() -> None:
    found = judge(with_field("alert", "metadata", {"key": 1}))
    assert found["wrong-type:metadata"].kills["go"] is Harm.NO_REPLY


@pytest.mark.parametrize(("kind", "field"), TIMES)
@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("2026-01-01T00:00:00.000+00:00", None),
        ("2026-01-01T00:00:00+02:00", None),
        ("2026-01-01T00:00:00.123456-05:30", None),
        ("2026-01-01T00:00:00.000Z", "timestamp-python-3.10"),
        ("2026-01-01T00:00:00.12+00:00", "timestamp-python-3.10"),
        ("2026-01-01T00:00:00", "timestamp-form"),
        ("2026-01-01 00:00:00+00:00", "timestamp-form"),
        ("2026-01-01", "timestamp-form"),
        ("2026-13-01T00:00:00+00:00", "timestamp-form"),
        ("2026-01-01T00:00+00:00", "timestamp-form"),
        ("yesterday", "timestamp-form"),
        ("", "timestamp-form"),
    ],
)
def test_timestamp_form(kind: str, field: str, text: str, rule: str | None) -> None:
    found = judge(with_field(kind, field, text))
    assert list(found) == ([rule] if rule else [])
    assert not any(violation.fatal for violation in found.values())


@pytest.mark.parametrize(("step", "bad"), [(0, False), (1_073_741_823, False), (-1, True), (1_073_741_824, True)])
def test_start_step_range(step: int, bad: bool) -> None:
    found = judge(with_field("fork_workflow", "start_step", step))
    assert list(found) == (["start-step-range"] if bad else [])
    if bad:
        assert found["start-step-range"].kills == {"go": Harm.NO_REPLY}


@pytest.mark.parametrize("kind", ["get_workflow_aggregates", "get_step_aggregates"])
def test_bucket_above_zero(kind: str) -> None:
    assert judge(with_field(kind, "time_bucket_size_ms", 1)) == {}
    assert list(judge(with_field(kind, "time_bucket_size_ms", 0))) == ["bucket-above-zero"]


@pytest.mark.parametrize("pair", [("workflow_ids", "workflow_uuids"), ("user", "authenticated_user")])
def test_paired_filters(pair: tuple[str, str]) -> None:
    one, other = pair
    example = EXAMPLES["get_workflow_aggregates"]
    alone = with_field("get_workflow_aggregates", one, ["x"])
    unlike = {**example, "body": {**example["body"], one: ["x"], other: ["y"]}}
    alike = {**example, "body": {**example["body"], one: ["x"], other: ["x"]}}
    assert list(judge(alone)) == list(judge(unlike)) == ["paired-filters"]
    assert judge(alike) == {}


@pytest.mark.parametrize(
    ("selectors", "bad"),
    [
        ({}, True),
        ({"from_last_failure": False}, True),
        ({"from_step": None}, True),
        ({"from_last_failure": True, "from_step": 1}, True),
        ({"from_step": 0}, False),
        ({"from_step_name": "s"}, False),
        ({"from_last_step": True, "from_step": None, "from_last_failure": False}, False),
    ],
)
def test_one_fork_selector(selectors: dict[str, Any], bad: bool) -> None:
    found = judge(request_frame("fork_from_failure", {"workflow_ids": ["w"], **selectors}))
    assert list(found) == (["one-fork-selector"] if bad else [])


def test_java_import_sniff() -> None:
    early = {**EXAMPLES["cancel"], "workflow_id": "import_workflow"}
    late = {**EXAMPLES["cancel"], "request_id": "r" * 200, "workflow_id": "import_workflow"}
    assert list(judge(early)) == ["java-import-sniff"] and judge(early)["java-import-sniff"].fatal
    assert judge(late) == {}
    assert judge(EXAMPLES["import_workflow"]) == {}


@pytest.mark.parametrize("value", ["import_workflow", 'say "import_workflow', 'say "import_workflow"'])
def test_text_that_java_would_take_for_an_import_is_escaped(value: str) -> None:
    request = GetWorkflowRequest(request_id="r", workflow_id=value, load_input=True, load_output=True)
    frame = codec.encode(request)
    assert b'"import_workflow"' not in frame
    assert violations("text", frame) == []
    assert codec.decode_request(frame) == request


def test_a_real_import_keeps_its_name() -> None:
    frame = codec.encode(ImportWorkflowRequest(request_id="r", serialized_workflow="H4sI"))
    assert frame.startswith(b'{"type":"import_workflow"')


def lists(**filters: Any) -> ListWorkflowsRequest:
    return ListWorkflowsRequest(request_id="r", body=ListWorkflowsBody(load_input=True, load_output=True, **filters))


def aggregates(**filters: Any) -> GetWorkflowAggregatesRequest:
    body = GetWorkflowAggregatesBody(group_by_status=True, **filters)
    return GetWorkflowAggregatesRequest(request_id="r", body=body)


NOT_TEXT: Any = 7
NULL: Any = None
REFUSED: list[tuple[RequestBase, str]] = [
    (RecoveryRequest(request_id=NOT_TEXT, executor_ids=("e",)), "request_id is missing or no string"),
    (RecoveryRequest(request_id="r", executor_ids=NOT_TEXT), "executor_ids is integer, not array"),
    (RecoveryRequest(request_id="r", executor_ids=NULL), "executor_ids is null"),
    (RecoveryRequest(request_id="r", executor_ids=(NOT_TEXT,)), "executor_ids is array, not array with what"),
    (RecoveryRequest(request_id="r", executor_ids=UNSET), "recovery must always carry executor_ids"),  # type: ignore[arg-type]
    (CancelRequest(request_id="r", workflow_id=None, workflow_ids=()), "workflow_ids is an empty array"),
    (DeleteRequest(request_id="r", workflow_id="w", delete_children=NULL), "delete_children is null"),
    (AlertRequest(request_id="r", name="n", message="m", metadata={"k": NOT_TEXT}), "metadata is object"),
    (AlertRequest(request_id="r", name="n", message="m", metadata={"k": float("nan")}), "metadata is object"),  # type: ignore[dict-item]
    (ListQueuesRequest(request_id="r", body=NULL), "list_queues needs an object under body"),
    (lists(status=()), "status is an empty array"),
    (lists(has_parent=None), "has_parent is null"),
    (lists(limit=2**63), "limit is integer"),
    (lists(start_time="2026-01-01"), "start_time is '2026-01-01'"),
    (lists(start_time="2026-01-01T00:00:00Z"), "Python 3.10"),
    (aggregates(user=("me",)), "user and authenticated_user name one filter"),
    (
        GetStepAggregatesRequest(request_id="r", body=GetStepAggregatesBody(time_bucket_size_ms=0)),
        "time_bucket_size_ms is 0",
    ),
    (
        BackfillScheduleRequest(request_id="r", schedule_name="s", start="2026-01-01", end="2026-01-02"),
        "start is '2026-01-01'.*end is '2026-01-02'",
    ),
    (
        ForkWorkflowRequest(
            request_id="r",
            body=ForkWorkflowBody(workflow_id="w", start_step=-1, new_workflow_id=None, application_version=None),
        ),
        "start_step is -1",
    ),
    (
        ForkFromFailureRequest(request_id="r", body=ForkFromFailureBody(workflow_ids=("w",))),
        "set exactly one of from_last_failure",
    ),
]


@pytest.mark.parametrize(("request_message", "reason"), REFUSED, ids=range(len(REFUSED)))
def test_encode_refuses_a_request_that_breaks_a_rule(request_message: RequestBase, reason: str) -> None:
    with pytest.raises(EncodeError, match=reason):
        codec.encode(request_message)


def test_encode_takes_what_is_well_formed() -> None:
    well_formed: list[RequestBase] = [
        lists(status=("PENDING",), start_time="2026-01-01T00:00:00.000+00:00", attributes={"tags": []}),
        aggregates(user=("me",), authenticated_user=("me",)),
        RecoveryRequest(request_id="r", executor_ids=()),
        RetentionRequest(
            request_id="r",
            body=RetentionBody(gc_cutoff_epoch_ms=None, gc_rows_threshold=None, timeout_cutoff_epoch_ms=1),
        ),
    ]
    for request in well_formed:
        assert violations("text", codec.encode(request)) == []


field_values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2) | st.just(2**63),
    st.text(max_size=4) | st.just("import_workflow") | st.just("2026-01-01T00:00:00.000+00:00"),
    st.lists(st.text(max_size=3) | st.integers(0, 1), max_size=2).map(tuple),
    st.dictionaries(st.text(max_size=3), st.text(max_size=3) | st.none(), max_size=2),
    st.just(UNSET),
)


@given(st.sampled_from(sorted(CATALOGUE)), st.data())
def test_encode_builds_exactly_the_frames_without_violations(kind: str, data: st.DataObject) -> None:
    """The quick check of `encode` and the thorough judge agree, whatever stands in the fields."""
    spec = CATALOGUE[kind]
    template = json.dumps(request_frame(kind, full_request_fields(kind)))
    message: Any = codec.decode_request(template)
    holder = message.body if spec.nesting == "body" else message
    names = [name for name in holder.__struct_fields__ if name != "request_id"]
    chosen = data.draw(st.dictionaries(st.sampled_from(names), field_values, max_size=4)) if names else {}
    values = {name: getattr(holder, name) for name in holder.__struct_fields__}
    changed = type(holder)(**{**values, **chosen})
    request = spec.request(request_id="r", body=changed) if spec.nesting == "body" else changed
    try:
        frame = codec.encode(request)
    except EncodeError:
        plain = json.loads(json.dumps(request_frame(kind, {})))
        fields = {name: value for name, value in {**values, **chosen}.items() if value is not UNSET}
        fields.pop("request_id", None)
        (plain["body"] if spec.nesting == "body" else plain).update(json.loads(json.dumps(fields)))
        assert judge(plain), plain
    else:
        assert violations("text", frame) == []
        assert codec.decode_request(frame).request_id == request.request_id
