"""What all messages share: the envelope fields and the field types.

Absent and null are different on the wire: an absent field is `UNSET`, a null one `None`. Unknown fields are ignored
(protocol page, version skew). All values are frozen; arrays are tuples.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

__all__ = [
    "Attributes",
    "Int64",
    "NameFilter",
    "NamesFilter",
    "OptionalFlag",
    "OptionalInt",
    "OptionalText",
    "OptionalTime",
    "RequestBase",
    "ResponseBase",
    "SuccessResponse",
    "Switch",
    "Timestamp",
]

Int64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
"""A JSON integer. Go reads it into 64 bits; a larger one gets no reply at all from it."""

Timestamp = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
"""Text `YYYY-MM-DDTHH:MM:SS.mmm+00:00`, the one form that all four SDKs read (measured)."""

OptionalText: TypeAlias = str | UnsetType | None
OptionalInt: TypeAlias = Int64 | UnsetType | None
OptionalTime: TypeAlias = Timestamp | UnsetType | None
OptionalFlag: TypeAlias = bool | UnsetType | None
Switch: TypeAlias = bool | UnsetType
"""A boolean that may be absent but never null: a null makes at least one SDK fail or match nothing."""

NameFilter: TypeAlias = str | tuple[str, ...] | UnsetType | None
"""A filter that takes one name or several. An empty array is an SQL error in TypeScript, and no filter elsewhere."""

NamesFilter: TypeAlias = tuple[str, ...] | UnsetType | None
"""A filter that takes an array only: Java refuses a bare string here."""

Attributes: TypeAlias = dict[str, Any] | UnsetType | None


class RequestBase(Struct, frozen=True, kw_only=True, tag_field="type"):
    """A request, relay to executor (protocol page). The executor echoes `type` and `request_id` in its one response."""

    request_id: str

    @property
    def type(self) -> str:
        """The message type as it stands on the wire."""
        tag = self.__struct_config__.tag
        assert isinstance(tag, str), "only tagged subclasses are messages"
        return tag


class ResponseBase(Struct, frozen=True, kw_only=True, tag_field="type"):
    """A response, executor to relay (protocol page).

    Every other field may be absent: on failure Java can answer with type, request_id and error_message alone.
    `error_message` is opaque text, maybe a whole stack trace; Python sends null on success, the others leave it out.
    """

    request_id: str
    error_message: OptionalText = UNSET

    @property
    def type(self) -> str:
        """The message type as it stands on the wire."""
        tag = self.__struct_config__.tag
        assert isinstance(tag, str), "only tagged subclasses are messages"
        return tag

    @property
    def failed(self) -> bool:
        """Whether the executor reports a failure: a non-empty `error_message`."""
        return bool(self.error_message)


class SuccessResponse(ResponseBase, frozen=True, kw_only=True):
    """A response that carries `success`. An absent `success` (Java, on early failures) reads as false."""

    success: Switch = UNSET

    @property
    def failed(self) -> bool:
        """Whether the executor reports a failure: a non-empty `error_message`, or `success` other than true."""
        return bool(self.error_message) or self.success is not True
