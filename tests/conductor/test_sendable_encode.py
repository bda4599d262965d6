"""What `encode` lets out: exactly the requests that break no rule for senders."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

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
from conductor.sendable import violations
from tests.conductor.protocol_facts import full_request_fields, request_frame


def judge(frame: Any) -> list[str]:
    return [violation.rule for violation in violations("text", json.dumps(frame).encode())]


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
    (lists(start_time=""), "start_time is ''"),
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
    (RecoveryRequest(request_id="r", executor_ids=()), "executor_ids names nobody"),
]


@pytest.mark.parametrize(("request_message", "reason"), REFUSED, ids=range(len(REFUSED)))
def test_encode_refuses_a_request_that_breaks_a_rule(request_message: RequestBase, reason: str) -> None:
    with pytest.raises(EncodeError, match=reason):
        codec.encode(request_message)


def test_encode_takes_what_is_well_formed() -> None:
    well_formed: list[RequestBase] = [
        lists(status=("PENDING",), start_time="2026-01-01T00:00:00.000+00:00", attributes={"tags": []}),
        aggregates(user=("me",), authenticated_user=("me",)),
        RecoveryRequest(request_id="r", executor_ids=("e1",)),
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
    st.text(max_size=4)
    | st.just("import_workflow")
    | st.sampled_from(["2026-01-01T00:00:00.000+00:00", "2026-01-01T00:00:00Z", ""]),
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
    request_class: Any = spec.request
    request = request_class(request_id="r", body=changed) if spec.nesting == "body" else changed
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
