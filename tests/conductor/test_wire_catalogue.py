"""Names, nesting, JSON types, presence and nullability of every message and record, against the catalogue of facts."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from conductor import codec, messages, records
from conductor.catalogue import CATALOGUE, EXECUTOR_MESSAGES, UNCOMMON_MESSAGES
from conductor.errors import InvalidField
from tests.conductor.protocol_facts import (
    MESSAGES,
    RECORDS,
    detail,
    full_record,
    full_request_fields,
    full_response,
    nullable,
    request_frame,
    samples,
    wrong_values,
)

REQUEST_FIELDS = [(kind, field) for kind, facts in MESSAGES.items() for field in facts["request"]]
RESPONSE_FIELDS = [(kind, field) for kind, facts in MESSAGES.items() for field in facts["response"]]
RECORD_FIELDS = [(name, field) for name, fields in RECORDS.items() for field in fields]


def reencoded(message: Any) -> Any:
    """The message as JSON, past the rules for senders: these tests are about shape."""
    return json.loads(msgspec.json.encode(message))


def test_the_catalogue_has_the_documented_types_in_order() -> None:
    assert list(CATALOGUE) == list(MESSAGES)
    for kind, facts in MESSAGES.items():
        spec = CATALOGUE[kind]
        assert (spec.type, spec.number, spec.group, spec.nesting) == (
            kind,
            facts["number"],
            facts["group"],
            facts["nesting"],
        )
        assert (spec.success_field == "success") == ("success" in facts["response"])


def test_thirty_two_documented_messages_and_two_others() -> None:
    assert len(EXECUTOR_MESSAGES) == 32 and EXECUTOR_MESSAGES[0] == "executor_info"
    assert UNCOMMON_MESSAGES == ("restart", "rewind_workflow")


def test_every_class_of_the_catalogue_is_public() -> None:
    for spec in CATALOGUE.values():
        assert getattr(messages, spec.request.__name__) is spec.request
        assert getattr(messages, spec.response.__name__) is spec.response


@pytest.mark.parametrize("kind", MESSAGES)
def test_no_field_of_a_request_is_lost_renamed_or_moved(kind: str) -> None:
    frame = request_frame(kind, full_request_fields(kind))
    message = codec.decode_request(json.dumps(frame))
    assert type(message) is CATALOGUE[kind].request
    assert message.type == kind
    assert reencoded(message) == frame


@pytest.mark.parametrize("kind", MESSAGES)
def test_no_field_of_a_response_is_lost_renamed_or_moved(kind: str) -> None:
    frame = full_response(kind)
    message = codec.decode_response(json.dumps(frame))
    assert type(message) is CATALOGUE[kind].response
    assert message.type == kind
    assert reencoded(message) == frame


@pytest.mark.parametrize("kind", [kind for kind, facts in MESSAGES.items() if facts["nesting"] == "body"])
def test_fields_outside_the_body_are_not_taken(kind: str) -> None:
    fields = full_request_fields(kind)
    flat = {"type": kind, "request_id": "r-1", **fields}
    if kind == "list_queues":  # the one body that may be left out
        assert reencoded(codec.decode_request(json.dumps(flat)))["body"] == {}
        return
    with pytest.raises(InvalidField, match="body"):
        codec.decode_request(json.dumps(flat))


@pytest.mark.parametrize(("kind", "field"), REQUEST_FIELDS)
def test_request_field(kind: str, field: str) -> None:
    fact = MESSAGES[kind]["request"][field]
    fields = full_request_fields(kind)
    for value in samples(fact):
        frame = request_frame(kind, {**fields, field: value})
        assert reencoded(codec.decode_request(json.dumps(frame))) == frame
    for value in wrong_values(fact):
        with pytest.raises(InvalidField):
            codec.decode_request(json.dumps(request_frame(kind, {**fields, field: value})))
    null_frame = request_frame(kind, {**fields, field: None})
    without = request_frame(kind, {name: value for name, value in fields.items() if name != field})
    if nullable(fact):
        assert reencoded(codec.decode_request(json.dumps(null_frame))) == null_frame
    else:
        with pytest.raises(InvalidField):
            codec.decode_request(json.dumps(null_frame))
    if detail(fact) == "always":
        with pytest.raises(InvalidField):
            codec.decode_request(json.dumps(without))
    else:
        assert reencoded(codec.decode_request(json.dumps(without))) == without


@pytest.mark.parametrize(("kind", "field"), RESPONSE_FIELDS)
def test_response_field(kind: str, field: str) -> None:
    fact = MESSAGES[kind]["response"][field]
    frame = full_response(kind)
    without = {name: value for name, value in frame.items() if name != field}
    assert reencoded(codec.decode_response(json.dumps(without))) == without
    for value in wrong_values(fact):
        with pytest.raises(InvalidField):
            codec.decode_response(json.dumps({**frame, field: value}))
    if nullable(fact):
        assert reencoded(codec.decode_response(json.dumps({**frame, field: None})))[field] is None
    else:
        with pytest.raises(InvalidField):
            codec.decode_response(json.dumps({**frame, field: None}))


@pytest.mark.parametrize(("name", "field"), RECORD_FIELDS)
def test_record_field(name: str, field: str) -> None:
    fact = RECORDS[name][field]
    decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(getattr(records, name))
    full = full_record(name)
    assert reencoded(decoder.decode(json.dumps(full))) == full
    for value in wrong_values(fact.rsplit(" ", 1)[0]):
        with pytest.raises(msgspec.ValidationError):
            decoder.decode(json.dumps({**full, field: value}))
    without = {key: value for key, value in full.items() if key != field}
    if detail(fact) == "always" and not nullable(fact):
        with pytest.raises(msgspec.ValidationError):
            decoder.decode(json.dumps(without))
        with pytest.raises(msgspec.ValidationError):
            decoder.decode(json.dumps({**full, field: None}))
    else:
        assert reencoded(decoder.decode(json.dumps(without))) == without
        assert reencoded(decoder.decode(json.dumps({**full, field: None})))[field] is None


def test_records_have_no_other_fields() -> None:
    assert set(records.__all__) == set(RECORDS)
    for name, fields in RECORDS.items():
        assert set(getattr(records, name).__struct_fields__) == set(fields)


@pytest.mark.parametrize("kind", MESSAGES)
def test_each_portable_example_encodes_to_itself(kind: str) -> None:
    example = MESSAGES[kind]["example"]
    assert json.loads(codec.encode(codec.decode_request(json.dumps(example)))) == example
