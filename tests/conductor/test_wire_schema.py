"""The published schema is valid, complete, and says the same as the decoder about real and damaged frames."""

from __future__ import annotations

import json
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from conductor import codec
from conductor.catalogue import CATALOGUE
from conductor.errors import DecodeError
from conductor.schema import json_schema
from tests.conductor.protocol_facts import (
    MESSAGES,
    RECORDS,
    TRANSCRIPTS,
    full_request_fields,
    full_response,
    recorded,
    request_frame,
)

SCHEMA = json_schema()


def validator(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]})


def test_it_is_a_valid_schema_of_plain_json() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA


def test_it_defines_every_message_and_record() -> None:
    names = {cls.__name__ for spec in CATALOGUE.values() for cls in (spec.request, spec.response)}
    assert names | set(RECORDS) | {"Request", "Response"} <= set(SCHEMA["$defs"])
    assert len(SCHEMA["$defs"]["Request"]["oneOf"]) == len(SCHEMA["$defs"]["Response"]["oneOf"]) == len(CATALOGUE)


@pytest.mark.parametrize("kind", MESSAGES)
def test_full_frames_fit(kind: str) -> None:
    validator("Request").validate(request_frame(kind, full_request_fields(kind)))
    validator("Response").validate(full_response(kind))


@pytest.mark.parametrize("side", ["Request", "Response"])
def test_schema_and_decoder_agree_on_recorded_frames(side: str) -> None:
    checker = validator(side)
    decode: Any = codec.decode_request if side == "Request" else codec.decode_response
    accepted = refused = 0
    for path in TRANSCRIPTS:
        for line in recorded(path):
            if "json" not in line:
                continue
            try:
                decode(json.dumps(line["json"]))
            except DecodeError:
                refused += 1
                assert not checker.is_valid(line["json"]), line["json"]
            else:
                accepted += 1
                assert checker.is_valid(line["json"]), line["json"]
    assert accepted >= 150 and refused >= 2


def test_the_root_takes_requests_and_responses_only() -> None:
    root = jsonschema.Draft202012Validator(SCHEMA)
    assert root.is_valid({"type": "recovery", "request_id": "r", "success": True})
    assert root.is_valid({"type": "recovery", "request_id": "r", "executor_ids": ["e"]})
    assert not root.is_valid({"type": "frobnicate", "request_id": "r"})
    assert not root.is_valid({"type": "recovery", "success": True})
