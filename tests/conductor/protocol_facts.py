"""The facts that these tests check the package against: the message catalogue and recorded frames."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent
_FACTS = json.loads((_HERE / "catalogue.json").read_text())

MESSAGES: dict[str, dict[str, Any]] = _FACTS["messages"]
"""type -> number, group, nesting, request (field -> 'JSON type[?] send'), response (field -> 'JSON type[?]')."""

RECORDS: dict[str, dict[str, str]] = _FACTS["records"]
"""record -> field -> 'JSON type[?] presence'."""

TRANSCRIPTS = sorted((_HERE / "transcripts").glob("*.jsonl"))

_SAMPLES: dict[str, Any] = {
    "string": "text",
    "integer": 7,
    "number": 1.5,
    "boolean": True,
    "object": {"key": "value"},
    "object<string,string>": {"key": "value"},
    "array<string>": ["one", "two"],
    "timestamp": "2026-01-01T00:00:00.000+00:00",
    "null": None,
}
_WRONG: dict[str, list[Any]] = {
    "string": [7, True, ["text"], {}],
    "integer": ["7", 7.5, True, 2**63, []],
    "number": ["1.5", True, []],
    "boolean": ["true", 1, []],
    "object": ["text", [], 1],
    "object<string,string>": ["text", [], {"key": 1}, {"key": None}],
    "array<string>": [7, {}, [7], [None]],
    "timestamp": [7, ["2026-01-01T00:00:00.000+00:00"]],
    "null": ["text", 0],
}


def nullable(fact: str) -> bool:
    """Whether a field may be null."""
    return fact.split()[0].endswith("?")


def detail(fact: str) -> str:
    """What follows the JSON type: when to send it, its presence, or its record."""
    return fact.split()[1] if " " in fact else ""


def samples(fact: str) -> list[Any]:
    """Valid values of a field, one per JSON type that it takes (null apart)."""
    json_types = fact.split()[0].removesuffix("?")
    record = detail(fact)
    if record in RECORDS:
        return [[full_record(record), full_record(record)]] if json_types == "array" else [full_record(record)]
    return [_SAMPLES[one] for one in json_types.split("|")]


def wrong_values(fact: str) -> list[Any]:
    """Values of a JSON type that the field does not take."""
    json_types = fact.split()[0].removesuffix("?")
    if json_types == "array":
        return ["text", {}, [7]]
    if json_types == "string|array<string>":
        return [7, True, {}, [7]]
    return _WRONG[json_types]


def full_record(name: str) -> dict[str, Any]:
    """A record with every field that any SDK sends."""
    return {field: samples(fact.rsplit(" ", 1)[0])[0] for field, fact in RECORDS[name].items()}


def request_frame(message_type: str, fields: dict[str, Any]) -> dict[str, Any]:
    """A request with these fields in the place that its type wants them."""
    head = {"type": message_type, "request_id": "r-1"}
    return {**head, "body": fields} if MESSAGES[message_type]["nesting"] == "body" else {**head, **fields}


def full_request_fields(message_type: str) -> dict[str, Any]:
    """Every field of a request, with a valid value."""
    return {field: samples(fact)[0] for field, fact in MESSAGES[message_type]["request"].items()}


def full_response(message_type: str) -> dict[str, Any]:
    """A response with every field."""
    fields = {field: samples(fact)[0] for field, fact in MESSAGES[message_type]["response"].items()}
    return {"type": message_type, "request_id": "r-1", **fields}


def recorded(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of one transcript."""
    with path.open() as lines:
        for line in lines:
            yield json.loads(line)
