"""Optional fields of requests, read off the message classes: what rows they make, and requests with and without."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conductor.catalogue import CATALOGUE
from conductor.fields import FieldShape, body_shape, shapes

__all__ = ["FILTERS", "OPTIONAL", "nulled", "required_only"]


def _shape(kind: str) -> tuple[FieldShape, ...]:
    spec = CATALOGUE[kind]
    return body_shape(spec.request) if spec.nesting == "body" else shapes(spec.request)


OPTIONAL = tuple(kind for kind in CATALOGUE if any(not field.required for field in _shape(kind)))
"""Types of messages that have optional fields."""
FILTERS = tuple(field.name for field in _shape("list_workflows") if "array" in field.kinds and field.name != "status")
"""Filters of list_workflows that may take several names; status has rows of its own."""


def required_only(kind: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """A request's fields without the optional ones."""
    required = {field.name for field in _shape(kind) if field.required}
    return _inside(kind, fields, lambda given: {name: value for name, value in given.items() if name in required})


def nulled(kind: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """A request's fields with a null in each optional one that it does not set and that may be null."""
    empty = dict.fromkeys(field.name for field in _shape(kind) if not field.required and field.nullable)
    return _inside(kind, fields, lambda given: {**empty, **given})


def _inside(
    kind: str, fields: Mapping[str, Any], change: Callable[[Mapping[str, Any]], dict[str, Any]]
) -> dict[str, Any]:
    """Change what is beside the type, or inside the body."""
    return {**fields, "body": change(fields["body"])} if CATALOGUE[kind].nesting == "body" else change(fields)
