"""What all messages share: the envelope fields. Unknown fields are ignored (protocol page, version skew); all values
are frozen."""

from __future__ import annotations

from msgspec import UNSET, Struct

from conductor.field_types import OptionalText, Switch

__all__ = ["RequestBase", "ResponseBase", "SuccessResponse"]


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
