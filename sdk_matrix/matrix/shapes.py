"""An answer beside the catalogue: which fields are absent, null, extra or of another JSON type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from conductor.catalogue import CATALOGUE
from conductor.schema import json_schema

__all__ = ["compare"]

_ENVELOPE = frozenset({"type", "request_id", "error_message"})
_NAMES: dict[type, str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


def compare(message_type: str, answer: Mapping[str, Any]) -> list[str]:
    """Sentences such as ``absent: output[].QueueName``, in a fixed order.

    ``empty`` names arrays without an item: nothing was there to compare.
    In an array of records a field counts as absent, or null, where no record has it, or none with a value.
    """
    found: dict[str, set[str]] = {what: set() for what in ("absent", "null", "extra", "type", "empty")}
    schema = _definitions()[CATALOGUE[message_type].response.__name__]
    _object(schema, [answer], "", found)
    return [f"{what}: {', '.join(sorted(names))}" for what, names in found.items() if names]


@cache
def _definitions() -> Mapping[str, Any]:
    definitions: Mapping[str, Any] = json_schema()["$defs"]
    return definitions


def _object(
    schema: Mapping[str, Any], values: Sequence[Mapping[str, Any]], at: str, found: dict[str, set[str]]
) -> None:
    properties: Mapping[str, Any] = schema.get("properties", {})
    envelope = _ENVELOPE if not at else frozenset()
    for name in properties.keys() - envelope:
        present = [value[name] for value in values if name in value]
        if not present:
            found["absent"].add(at + name)
        elif all(one is None for one in present):
            found["null"].add(at + name)
        else:
            _value(properties[name], [one for one in present if one is not None], at + name, found)
    for value in values:
        found["extra"] |= {at + name for name in value.keys() - properties.keys() - envelope}


def _value(schema: Mapping[str, Any], values: list[Any], at: str, found: dict[str, set[str]]) -> None:
    options = [_resolved(option) for option in schema.get("anyOf", [schema])]
    allowed = {kind for option in options for kind in _kinds(option)}
    for kind in sorted({_kind(value) for value in values}):
        if allowed and kind not in allowed and not (kind == "integer" and "number" in allowed):
            found["type"].add(f"{at} is {kind}, not {'|'.join(sorted(allowed - {'null'}))}")
    for option in options:
        objects = [value for value in values if isinstance(value, dict)]
        if objects and option.get("properties"):
            _object(option, objects, f"{at}.", found)
        arrays = [item for value in values if isinstance(value, list) for item in value]
        if not arrays and any(isinstance(value, list) for value in values):
            found["empty"].add(at)
        if arrays and isinstance(option.get("items"), dict):
            inner = _resolved(option["items"])
            records = [item for item in arrays if isinstance(item, dict)]
            if inner.get("properties") and records:
                _object(inner, records, f"{at}[].", found)
            elif not inner.get("properties"):
                _value(inner, arrays, f"{at}[]", found)


def _resolved(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = schema.get("$ref")
    return _definitions()[reference.rpartition("/")[2]] if reference else schema


def _kinds(option: Mapping[str, Any]) -> Iterable[str]:
    named = option.get("type")
    if named is None:
        return ("object",) if option.get("properties") else ()
    return (named,) if isinstance(named, str) else named


def _kind(value: object) -> str:
    return "null" if value is None else _NAMES[type(value)]
