"""The building blocks of the API's shapes: request bodies, queries, answers, and their field types."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType, field

from reference_relay.server.api.times import DateTime

__all__ = [
    "Answer",
    "Body",
    "Count",
    "Double",
    "Flag",
    "Int32",
    "Int64",
    "Moment",
    "Names",
    "Query",
    "Text",
    "Time",
    "given",
]

Int32 = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1, extra_json_schema={"format": "int32"})]
Int64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1, extra_json_schema={"format": "int64"})]
Double = Annotated[float, Meta(extra_json_schema={"format": "double"})]
Count = Annotated[int, Meta(ge=0, le=2**63 - 1, extra_json_schema={"format": "int64"})]
"""A limit, an offset or a threshold: the API document gives no lower bound, and a negative one means nothing."""

Moment = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
"""RFC 3339 text of an answer."""

Flag: TypeAlias = bool | UnsetType
Names: TypeAlias = list[str] | UnsetType | None
Text: TypeAlias = str | UnsetType
Time: TypeAlias = DateTime | UnsetType


class Body(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A request body. Clients may send ``$schema``, which means nothing."""

    schema_uri: str | UnsetType = field(default=UNSET, name="$schema")


class Query(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Query parameters; others are ignored."""


class Answer(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What an operation answers. A field that may be null is there with null; one that may be absent is `UNSET`."""


def given(values: msgspec.Struct) -> dict[str, Any]:
    """What a body or query really carries, by its names in Python."""
    return {
        name: value
        for name in values.__struct_fields__
        if name != "schema_uri" and (value := getattr(values, name)) is not UNSET
    }
