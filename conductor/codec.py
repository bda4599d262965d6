"""Frames to messages and back.

Decoding takes any bytes and either returns a message or raises a `DecodeError`; nothing else escapes. It is tolerant of
what the protocol page allows (unknown fields, whose content is not looked at) and strict about JSON types. Encoding
refuses a request that one of the four SDKs would not survive, or would misread.
"""

from __future__ import annotations

from typing import NoReturn, TypeVar

import msgspec
from msgspec import Struct

from conductor.catalogue import CATALOGUE
from conductor.errors import (
    EncodeError,
    FrameTooDeep,
    InvalidField,
    InvalidUtf8,
    MalformedJson,
    NotAnObject,
    UnexpectedType,
    UnknownType,
)
from conductor.messages import Request, RequestBase, Response, ResponseBase
from conductor.outgoing import ensure_sendable

__all__ = ["Envelope", "decode_envelope", "decode_request", "decode_response", "decode_response_as", "encode"]

ResponseT = TypeVar("ResponseT", bound=ResponseBase)


class Envelope(Struct, frozen=True):
    """What every frame has, whatever its type. `raw` is the whole frame, still to be decoded."""

    type: str
    request_id: str | None
    error_message: str | None
    raw: bytes


class _Head(Struct):
    type: str
    request_id: str | None = None
    error_message: str | None = None


class _TypeOnly(Struct):
    type: str


# Besides its own errors msgspec lets these through: deep nesting, lone surrogates, numbers out of every range.
_DECODE_FAILURES = (msgspec.MsgspecError, RecursionError, ValueError, OverflowError)
_ENCODE_FAILURES = (*_DECODE_FAILURES, TypeError)

_encoder = msgspec.json.Encoder()
_head_decoder = msgspec.json.Decoder(_Head)
_type_decoder = msgspec.json.Decoder(_TypeOnly)
_syntax_decoder = msgspec.json.Decoder(msgspec.Raw)
_request_decoder: msgspec.json.Decoder[Request] = msgspec.json.Decoder(Request)
_response_decoder: msgspec.json.Decoder[Response] = msgspec.json.Decoder(Response)


def decode_envelope(data: bytes | str) -> Envelope:
    """Read type, request_id and error_message of a frame of any type; of the rest only the syntax is checked.

    Raises DecodeError when the frame is no JSON object, or one of the three has the wrong JSON type.
    """
    try:
        head = _head_decoder.decode(data)
        raw = data.encode() if isinstance(data, str) else data
    except _DECODE_FAILURES as failure:
        _explain(data, failure)
    return Envelope(head.type, head.request_id, head.error_message, raw)


def decode_request(data: bytes | str) -> Request:
    """Read a frame that a relay sent. Raises DecodeError; see `conductor.sendable` to judge a frame's form."""
    try:
        return _request_decoder.decode(data)
    except _DECODE_FAILURES as failure:
        _explain(data, failure, known=True)


def decode_response(data: bytes | str) -> Response:
    """Read a frame that an executor sent. Raises DecodeError."""
    try:
        return _response_decoder.decode(data)
    except _DECODE_FAILURES as failure:
        _explain(data, failure, known=True)


def decode_response_as(data: bytes | str, response_class: type[ResponseT]) -> ResponseT:
    """Read a frame as the response to a request whose answer has this class.

    Raises UnexpectedType when the frame has another type, else DecodeError as `decode_response` does.
    """
    # Not with a decoder of that one class: msgspec takes a frame without a type for it.
    try:
        response = _response_decoder.decode(data)
    except _DECODE_FAILURES as failure:
        _explain(data, failure, known=True, expected=response_class)
    if not isinstance(response, response_class):
        raise UnexpectedType(str(response_class.__struct_config__.tag), response.type)
    return response


def encode(message: RequestBase | ResponseBase) -> bytes:
    """Build the one text frame of a message, UTF-8 JSON.

    Raises EncodeError when a value has no JSON form, or when a request breaks a rule of `conductor.sendable`.
    """
    try:
        payload = _encoder.encode(message)
    except _ENCODE_FAILURES as failure:
        raise EncodeError(f"{type(message).__name__} holds a value that has no JSON form: {failure}") from failure
    return ensure_sendable(message, payload) if isinstance(message, RequestBase) else payload


def _explain(
    data: bytes | str, failure: Exception, *, known: bool = False, expected: type[ResponseBase] | None = None
) -> NoReturn:
    """Raise the error that fits `failure`. Works from the frame, not from msgspec's wording; only failures pay."""
    try:
        text = data if isinstance(data, str) else str(data, "utf-8")
        raw = text.encode()
    except UnicodeError as not_text:
        raise InvalidUtf8(f"the frame is not UTF-8: {not_text}") from failure
    cause = failure
    try:
        _syntax_decoder.decode(raw)
    except _DECODE_FAILURES as not_json:
        cause = not_json
    if isinstance(cause, RecursionError):
        raise FrameTooDeep(f"the frame ({len(raw)} bytes) nests too deeply to be read") from failure
    if not isinstance(cause, msgspec.ValidationError):
        raise MalformedJson(f"the frame is not one JSON value: {cause}") from failure
    if not raw.lstrip(b" \t\r\n").startswith(b"{"):
        raise NotAnObject(f"the frame is JSON but no object: {text[:40]!r}") from failure
    if known:
        _check_type(raw, failure, expected)
    raise InvalidField(f"the frame does not fit its type: {failure}") from failure


def _check_type(raw: bytes, failure: Exception, expected: type[ResponseBase] | None) -> None:
    try:
        received = _type_decoder.decode(raw).type
    except _DECODE_FAILURES as no_type:
        raise InvalidField(f"the frame has no usable type: {no_type}") from failure
    if received not in CATALOGUE:
        raise UnknownType(received) from failure
    if expected is not None and received != expected.__struct_config__.tag:
        raise UnexpectedType(str(expected.__struct_config__.tag), received) from failure
