"""Questions to executors, and how their answers are read. One that answers nonsense has failed: 502."""

from __future__ import annotations

from typing import TypeVar

from conductor.codec import decode_response_as
from conductor.errors import DecodeError
from conductor.messages import ResponseBase
from reference_relay.core.effects import CallDone, Outcome
from reference_relay.core.events import Call
from reference_relay.core.records import AppKey
from reference_relay.server.api.problems import Problem, Reported
from reference_relay.server.hub import Hub

__all__ = ["ask"]

R = TypeVar("R", bound=ResponseBase)


async def ask(hub: Hub, app: AppKey, kind: type[R], fields: dict[str, object], version: str | None = None) -> R:
    """Have a healthy executor of the application answer the request whose response has this class.

    Raises Problem 502 or 503, and its subclass `Reported` where the executor reports a failure.
    """
    type_ = str(kind.__struct_config__.tag)
    done = await hub.call(lambda number: Call(number, app, type_, fields, version))
    return _understood(_frame_of(done, version), kind)


def _frame_of(done: CallDone, version: str | None) -> bytes:
    match done.outcome:
        case Outcome.ANSWERED:
            assert done.data is not None, "an answer has its frame"
            return done.data
        case Outcome.NO_EXECUTOR:
            of = f" of version {version}" if version is not None else ""
            raise Problem(503, f"no healthy executor{of} is connected")
        case Outcome.REFUSED:
            raise Reported(f"the executor reports: {done.error}")
        case _:
            raise Problem(502, f"no executor answered: {done.error or 'all failed'}"[:2000])


def _understood(data: bytes, kind: type[R]) -> R:
    """Raises Problem 502 for a frame that is no such response, or reports a failure (ENV-3)."""
    try:
        response = decode_response_as(data, kind)
    except DecodeError as error:
        raise Problem(502, f"the executor's answer can't be read: {error}"[:2000]) from error
    if response.failed:
        raise Reported(f"the executor reports: {response.error_message or 'that it did not succeed'}")
    return response
