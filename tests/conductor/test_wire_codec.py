"""The codec's contract: absent is not null, unknown fields are ignored, and only its own errors come out."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from conductor import codec
from conductor.catalogue import CATALOGUE
from conductor.errors import (
    ConductorError,
    DecodeError,
    EncodeError,
    FrameTooDeep,
    InvalidField,
    InvalidUtf8,
    MalformedJson,
    NotAnObject,
    UnexpectedType,
    UnknownType,
)
from conductor.messages import (
    AlertRequest,
    CancelRequest,
    ExecutorInfoResponse,
    ExistPendingWorkflowsResponse,
    GetWorkflowResponse,
    ListWorkflowsBody,
    ListWorkflowsRequest,
    RecoveryRequest,
    RecoveryResponse,
    RequestBase,
)

DECODERS: list[Callable[[bytes | str], object]] = [
    codec.decode_envelope,
    codec.decode_request,
    codec.decode_response,
    lambda data: codec.decode_response_as(data, RecoveryResponse),
]
BROKEN: list[tuple[bytes | str, type[DecodeError]]] = [
    (b"", MalformedJson),
    (b"   ", MalformedJson),
    (b"{", MalformedJson),
    (b'{"type":"recovery","request_id":"r"', MalformedJson),
    (b'{"type":"recovery","request_id":"r"} {}', MalformedJson),
    (b'{"type":"recovery","request_id":"r","success":NaN}', MalformedJson),
    (b'{"type":"recovery","request_id":"\\ud800"}', MalformedJson),
    (b'\xef\xbb\xbf{"type":"recovery","request_id":"r"}', MalformedJson),
    (b'{"type":"recovery","request_id":"\xff"}', InvalidUtf8),
    ('{"type":"recovery","request_id":"\ud800"}', InvalidUtf8),
    (b"[]", NotAnObject),
    (b" null", NotAnObject),
    (b'"text"', NotAnObject),
    (b"1e999", NotAnObject),
    (b"9" * 10_000, NotAnObject),
    (b"{}", InvalidField),
    (b'{"request_id":"r"}', InvalidField),
    (b'{"type":7,"request_id":"r"}', InvalidField),
    (b'{"type":null,"request_id":"r"}', InvalidField),
    (b'{"type":"recovery","request_id":7}', InvalidField),
    (b'{"type":"recovery","request_id":"r","error_message":7,"executor_ids":7}', InvalidField),
    (b"[" * 100_000 + b"]" * 100_000, FrameTooDeep),
    (b'{"type":"recovery","request_id":"r","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}", FrameTooDeep),
]


@pytest.mark.parametrize(("frame", "error"), BROKEN, ids=range(len(BROKEN)))
@pytest.mark.parametrize("decode", DECODERS, ids=["envelope", "request", "response", "response_as"])
def test_a_broken_frame_raises_the_error_that_fits(decode: Any, frame: bytes | str, error: type[DecodeError]) -> None:
    with pytest.raises(error) as raised:
        decode(frame)
    assert type(raised.value) is error and isinstance(raised.value, ConductorError)
    assert len(str(raised.value)) < 400


def test_an_unknown_type_is_named() -> None:
    frame = b'{"type":"frobnicate","request_id":"r"}'
    for decode in DECODERS[1:]:
        with pytest.raises(UnknownType, match="frobnicate") as raised:
            decode(frame)
        assert raised.value.message_type == "frobnicate"


def test_the_envelope_takes_any_type_and_keeps_the_frame() -> None:
    frame = b'{"error_message":"no","x":[{"y":1}],"type":"frobnicate","request_id":"r"}'
    assert codec.decode_envelope(frame) == codec.Envelope("frobnicate", "r", "no", frame)
    assert codec.decode_envelope('{"type":"é"}') == codec.Envelope("é", None, None, '{"type":"é"}'.encode())
    assert codec.decode_envelope(b'{"type":"a","request_id":null,"error_message":null}').request_id is None


def test_another_type_than_the_expected_one() -> None:
    with pytest.raises(UnexpectedType, match="expected a message of type 'recovery', received 'cancel'") as raised:
        codec.decode_response_as(b'{"type":"cancel","request_id":"r","success":true}', RecoveryResponse)
    assert (raised.value.expected, raised.value.received) == ("recovery", "cancel")


def test_the_expected_type_is_returned_as_its_class() -> None:
    answer = codec.decode_response_as(b'{"type":"recovery","request_id":"r","success":true}', RecoveryResponse)
    assert answer == RecoveryResponse(request_id="r", success=True)


def test_absent_and_null_are_kept_apart() -> None:
    absent = codec.decode_response_as(b'{"type":"get_workflow","request_id":"r"}', GetWorkflowResponse)
    null = codec.decode_response_as(b'{"type":"get_workflow","request_id":"r","output":null}', GetWorkflowResponse)
    assert absent.output is UNSET and null.output is None and absent != null
    assert codec.encode(absent) == b'{"type":"get_workflow","request_id":"r"}'
    assert codec.encode(null) == b'{"type":"get_workflow","request_id":"r","output":null}'


@pytest.mark.parametrize("kind", CATALOGUE)
def test_unknown_fields_are_ignored(kind: str) -> None:
    spec = CATALOGUE[kind]
    plain = {"type": kind, "request_id": "r"}
    extended = {**plain, "unknown": {"deep": [1, None, "x"]}, "executor_id_2": 5}
    assert codec.decode_response(json.dumps(extended)) == codec.decode_response(json.dumps(plain))
    assert codec.decode_response_as(json.dumps(extended), spec.response).request_id == "r"


def test_unknown_fields_in_a_body_and_in_a_record_are_ignored() -> None:
    body = {"load_input": True, "load_output": False, "colour": "red"}
    request = codec.decode_request(json.dumps({"type": "list_workflows", "request_id": "r", "body": body}))
    assert request == ListWorkflowsRequest(request_id="r", body=ListWorkflowsBody(load_input=True, load_output=False))
    record = {"WorkflowUUID": "w", "Status": "PENDING", "Colour": "red"}
    response = codec.decode_response(json.dumps({"type": "get_workflow", "request_id": "r", "output": record}))
    assert isinstance(response, GetWorkflowResponse) and response.output
    assert response.output.WorkflowUUID == "w"


@pytest.mark.parametrize(
    ("answer", "failed"),
    [
        ('"success":true', False),
        ('"success":true,"error_message":null', False),
        ('"success":true,"error_message":""', False),
        ('"success":true,"error_message":"no"', True),
        ('"success":false', True),
        ('"error_message":"only this, as Java does"', True),
        ('"x":1', True),
    ],
)
def test_what_counts_as_a_failure(answer: str, failed: bool) -> None:
    response = codec.decode_response_as(f'{{"type":"recovery","request_id":"r",{answer}}}', RecoveryResponse)
    assert response.failed is failed


def test_without_a_success_field_the_error_message_alone_decides() -> None:
    kind = "exist_pending_workflows"
    no = codec.decode_response_as(f'{{"type":"{kind}","request_id":"r","exist":false}}', ExistPendingWorkflowsResponse)
    error = codec.decode_response_as(
        f'{{"type":"{kind}","request_id":"r","error_message":"db"}}', ExistPendingWorkflowsResponse
    )
    assert not no.failed and error.failed


def test_a_request_is_one_compact_object() -> None:
    request = RecoveryRequest(request_id="r-1", executor_ids=("a", "b"))
    assert codec.encode(request) == b'{"type":"recovery","request_id":"r-1","executor_ids":["a","b"]}'


UNENCODABLE: list[RequestBase] = [
    RecoveryRequest(request_id="\ud800", executor_ids=()),
    AlertRequest(request_id="r", name="n", message="m", metadata={"k": object()}),  # type: ignore[dict-item]
]


@pytest.mark.parametrize("message", UNENCODABLE, ids=range(len(UNENCODABLE)))
def test_values_without_a_json_form_cannot_be_encoded(message: RequestBase) -> None:
    with pytest.raises(EncodeError, match="Request"):
        codec.encode(message)


def test_a_value_that_holds_itself_cannot_be_encoded() -> None:
    loop: dict[str, Any] = {}
    loop["self"] = loop
    with pytest.raises(EncodeError, match="ExecutorInfoResponse"):
        codec.encode(ExecutorInfoResponse(request_id="r", executor_metadata=loop))


def test_messages_are_frozen() -> None:
    with pytest.raises(AttributeError):
        CancelRequest(request_id="r", workflow_id=None).workflow_id = "w"  # type: ignore[misc]


@given(st.binary(max_size=200))
def test_any_bytes_give_a_message_or_an_error_of_the_tree(data: bytes) -> None:
    for decode in DECODERS:
        try:
            decode(data)
        except DecodeError as error:
            assert str(error)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(sorted(CATALOGUE)), st.dictionaries(st.text(max_size=8), json_values, max_size=4), st.data())
def test_any_object_of_a_known_type_gives_a_message_or_an_error_of_the_tree(
    kind: str, extra: dict[str, Any], data: st.DataObject
) -> None:
    spec = CATALOGUE[kind]
    names = st.sampled_from([*spec.request.__struct_fields__, *spec.response.__struct_fields__])
    frame = {"type": kind, "request_id": "r", **extra, **data.draw(st.dictionaries(names, json_values, max_size=3))}
    text = json.dumps(frame)
    for decode in DECODERS:
        try:
            decode(text)
        except DecodeError as error:
            assert str(error)
