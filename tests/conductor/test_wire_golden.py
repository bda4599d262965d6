"""Recorded frames of real executors: all responses decode, and the rules predict what each request did to Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conductor import codec
from conductor.catalogue import CATALOGUE
from conductor.errors import InvalidField, NotAnObject, UnknownType
from conductor.sendable import Harm, violations
from tests.conductor.protocol_facts import TRANSCRIPTS, recorded

ALL_TYPES = [path for path in TRANSCRIPTS if path.stem.endswith("all-types")]


def payload(line: dict[str, Any]) -> bytes:
    if "hex" in line:
        return bytes.fromhex(line["hex"])
    return line["text"].encode() if "text" in line else json.dumps(line["json"]).encode()


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_every_recorded_response_decodes_and_keeps_its_values(path: Path) -> None:
    seen = 0
    for line in recorded(path):
        if line["dir"] != "in" or "json" not in line:
            continue
        frame = payload(line)
        head = codec.decode_envelope(frame)
        assert (head.type, head.request_id, head.raw) == (line["json"]["type"], line["json"]["request_id"], frame)
        if head.type not in CATALOGUE:
            assert head.error_message == "Unknown message type"
            with pytest.raises(UnknownType):
                codec.decode_response(frame)
            continue
        response = codec.decode_response(frame)
        assert codec.decode_response_as(frame, CATALOGUE[head.type].response) == response
        assert json.loads(codec.encode(response)) == line["json"]
        seen += 1
    assert seen >= 3


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_recorded_request_decodes_unless_it_breaks_a_rule(path: Path) -> None:
    for line in recorded(path):
        if line["dir"] != "out" or "json" not in line:
            continue
        broken = {violation.rule for violation in violations("text", payload(line))}
        try:
            request = codec.decode_request(payload(line))
        except (InvalidField, NotAnObject, UnknownType):
            assert broken, line["json"]
            continue
        known = json.loads(payload(line))
        for unknown in ("foo", "zzz"):
            known.pop(unknown, None)
            known.get("body", {}).pop(unknown, None)
        if not broken:
            assert (
                json.loads(codec.encode(request)) == {"body": {}, **known} if known["type"] == "list_queues" else known
            )


@pytest.mark.parametrize("path", ALL_TYPES, ids=lambda path: path.stem)
def test_the_rules_predict_which_requests_cost_python_its_socket(path: Path) -> None:
    lines = [line for line in recorded(path) if line["op"] != "binary"]
    dropped = kept = 0
    for index, line in enumerate(lines):
        if line["dir"] != "out" or line["op"] != "text":
            continue
        same_connection = (other for other in lines[index + 1 :] if other["conn"] == line["conn"])
        reaction = next((other for other in same_connection if other["dir"] == "in"), None)
        was_dropped = reaction is not None and reaction["op"] == "close" and reaction["code"] == 1011
        predicted = any(
            violation.kills.get("python") is Harm.DISCONNECT for violation in violations("text", payload(line))
        )
        assert predicted == was_dropped, line
        dropped += was_dropped
        kept += not was_dropped
    assert dropped >= 10 and kept >= 60


@pytest.mark.parametrize("path", ALL_TYPES, ids=lambda path: path.stem)
def test_both_all_types_transcripts_hold_every_documented_type(path: Path) -> None:
    answered = {line["json"]["type"] for line in recorded(path) if line["dir"] == "in" and "json" in line}
    assert set(CATALOGUE) - answered == {"rewind_workflow"}
