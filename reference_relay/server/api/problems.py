"""Failures of management calls, as RFC 9457 problem documents."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import msgspec

__all__ = ["Problem", "Reported", "invalid", "place_of", "unfit"]


class Problem(Exception):
    """Raised by an operation to answer with an error. ``errors`` are `invalid` items: where, what, and the value."""

    def __init__(self, status: int, detail: str, errors: list[dict[str, Any]] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.errors = errors

    def body(self) -> bytes:
        document: dict[str, Any] = {
            "type": "about:blank",
            "status": self.status,
            "title": HTTPStatus(self.status).phrase,
            "detail": self.detail,
        }
        if self.errors is not None:
            document["errors"] = self.errors
        return msgspec.json.encode(document)


class Reported(Problem):
    """502: the executor did answer, and its answer is a failure."""

    def __init__(self, detail: str) -> None:
        super().__init__(502, detail[:2000])


def unfit(location: str, message: str, value: object = None) -> Problem:
    """422 for a value that fits the schema and yet can't be meant. ``location`` is like ``body.startStep``."""
    item: dict[str, Any] = {"location": location, "message": message}
    if value is not None:
        item["value"] = value
    return Problem(422, "validation failed", [item])


def invalid(error: msgspec.ValidationError, root: str, value: object) -> Problem:
    """422 for a value that breaks the schema. ``root`` is "body", "query" or "path"."""
    message, _, place = str(error).partition(" - at `$")
    place = place.rstrip("`")
    item: dict[str, Any] = {"location": root + place, "message": message}
    found = place_of(value, place)
    if isinstance(found, str | int | float | bool):
        item["value"] = found
    return Problem(422, "validation failed", [item])


def place_of(value: object, place: str) -> object:
    """What stands at a place such as ``.limit`` or ``.status[0]``; None where there is nothing."""
    for step in place.replace("[", ".[").split("."):
        if step.startswith("[") and isinstance(value, list) and step[1:-1].isdigit():
            value = value[int(step[1:-1])]
        elif step and isinstance(value, dict):
            value = value.get(step)
    return value
