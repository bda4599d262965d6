"""Response frames of executors, read for the API. An executor that answers nonsense is a failed executor: 502."""

from __future__ import annotations

from typing import TypeVar

from conductor.codec import decode_response_as
from conductor.errors import DecodeError
from conductor.messages import ResponseBase
from reference_relay.server.api.problems import Problem, Reported

__all__ = ["understood"]

R = TypeVar("R", bound=ResponseBase)


def understood(data: bytes, kind: type[R]) -> R:
    """Raises Problem 502 for a frame that is no such response, or reports a failure (ENV-3)."""
    try:
        response = decode_response_as(data, kind)
    except DecodeError as error:
        raise Problem(502, f"the executor's answer can't be read: {error}"[:2000]) from error
    if response.failed:
        raise Reported(f"the executor reports: {response.error_message or 'that it did not succeed'}")
    return response
