"""Small changes to frames, for defects that lie about what was said."""

from __future__ import annotations

from typing import Any

import msgspec


def fields_of(data: bytes) -> dict[str, Any]:
    """The fields of a frame; none where it is no JSON object."""
    try:
        decoded = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return {}
    return decoded if isinstance(decoded, dict) else {}


def changed(data: bytes, **fields: Any) -> bytes:
    """The frame with these fields set. What is no JSON object stays as it is."""
    before = fields_of(data)
    return msgspec.json.encode({**before, **fields}) if before else data


def without(data: bytes, *names: str) -> bytes:
    """The frame without these fields."""
    before = fields_of(data)
    return msgspec.json.encode({name: value for name, value in before.items() if name not in names}) if before else data
