"""The error tree of this package: everything that it raises on purpose derives from `ConductorError`."""

from __future__ import annotations

__all__ = [
    "ConductorError",
    "DecodeError",
    "EncodeError",
    "FrameTooDeep",
    "InvalidField",
    "InvalidTiming",
    "InvalidUtf8",
    "MalformedJson",
    "NotAnObject",
    "UnexpectedType",
    "UnknownType",
]


class ConductorError(Exception):
    """Root of all errors of this package."""


class DecodeError(ConductorError):
    """A frame could not be read as a message; the text says why. The frame's sender is at fault, never the caller."""


class InvalidUtf8(DecodeError):
    """The frame is not UTF-8 text."""


class MalformedJson(DecodeError):
    """The frame is not one JSON value."""


class FrameTooDeep(DecodeError):
    """The frame nests arrays or objects deeper than this process can follow."""


class NotAnObject(DecodeError):
    """The frame is JSON, but its top level is an array or a scalar."""


class UnknownType(DecodeError):
    """The frame's `type` is a string that the catalogue does not have."""

    def __init__(self, message_type: str) -> None:
        super().__init__(f"unknown message type {message_type[:80]!r}: see conductor.catalogue for the known ones")
        self.message_type = message_type


class UnexpectedType(DecodeError):
    """The frame's `type` is known, but is not the one that the caller asked for."""

    def __init__(self, expected: str, received: str) -> None:
        super().__init__(f"expected a message of type {expected!r}, received {received!r}")
        self.expected = expected
        self.received = received


class InvalidField(DecodeError):
    """A field is missing or has the wrong JSON type; the text names its path."""


class EncodeError(ConductorError):
    """A message could not be turned into a frame that every SDK survives; the text lists each reason."""


class InvalidTiming(ConductorError, ValueError):
    """A timing profile contradicts itself; the text names the field and its allowed values.

    Also a ValueError, so that msgspec reports it with its path when a profile is read from a file.
    """
