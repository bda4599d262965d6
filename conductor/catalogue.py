"""Every message type with its place in the protocol, in documented order (protocol page)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from conductor import messages
from conductor.messages import RequestBase, ResponseBase, SuccessResponse

__all__ = ["CATALOGUE", "EXECUTOR_MESSAGES", "UNCOMMON_MESSAGES", "Group", "MessageSpec"]

Group = Literal[
    "lifecycle",
    "inspection",
    "forking",
    "schedules",
    "queues",
    "applications",
    "alerts",
    "deprecated",
    "late",
]

# Aliases, since the field `type` hides the built-in inside MessageSpec.
RequestClass: TypeAlias = type[RequestBase]
ResponseClass: TypeAlias = type[ResponseBase]

_LAST_OF_GROUP: tuple[tuple[int, Group], ...] = (
    (7, "lifecycle"),
    (16, "inspection"),
    (20, "forking"),
    (26, "schedules"),
    (29, "queues"),
    (31, "applications"),
    (32, "alerts"),
)


class MessageSpec(Struct, frozen=True):
    """One message type. `number` is its place among the documented thirty-two, None outside them.

    `nesting` says where request fields stand: beside `type` (flat) or inside `body`. `success_field` is the name of the
    response's boolean that must be true, or None where only `error_message` tells a failure.
    """

    type: str
    group: Group
    nesting: Literal["flat", "body"]
    request: RequestClass
    response: ResponseClass
    success_field: Literal["success"] | None
    number: int | None


def _spec(index: int, request: RequestClass, response: ResponseClass) -> MessageSpec:
    message_type = request.__struct_config__.tag
    assert isinstance(message_type, str) and message_type == response.__struct_config__.tag, (request, response)
    number = index + 1 if index < 32 else None
    group: Group = "deprecated" if message_type == "restart" else "late"
    if number is not None:
        group = next(name for last, name in _LAST_OF_GROUP if number <= last)
    return MessageSpec(
        type=message_type,
        group=group,
        nesting="body" if "body" in request.__struct_fields__ else "flat",
        request=request,
        response=response,
        success_field="success" if issubclass(response, SuccessResponse) else None,
        number=number,
    )


_PAIRS = zip(get_args(messages.Request), get_args(messages.Response), strict=True)

CATALOGUE: Mapping[str, MessageSpec] = MappingProxyType(
    {spec.type: spec for spec in (_spec(index, *pair) for index, pair in enumerate(_PAIRS))}
)
"""All types, by type, in documented order; the two uncommon ones last."""

EXECUTOR_MESSAGES: tuple[str, ...] = tuple(spec.type for spec in CATALOGUE.values() if spec.number is not None)
"""The documented thirty-two: executor_info and 31 more."""

UNCOMMON_MESSAGES: tuple[str, ...] = tuple(spec.type for spec in CATALOGUE.values() if spec.number is None)
"""`restart` (deprecated) and `rewind_workflow` (late)."""
