"""A management call of a schedule: what is asked of an executor when, and what it answers.

Both are the fields of the messages (protocol page) beside type and id, as JSON texts: TOML knows no null.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec

from conductor.catalogue import CATALOGUE, EXECUTOR_MESSAGES
from conductor.codec import decode_response_as
from conductor.errors import DecodeError
from conductor.sendable import violations
from scenarios.schedule.errors import ScheduleError
from scenarios.schedule.kind import near, words

OPERATIONS: tuple[str, ...] = tuple(
    type_ for type_ in EXECUTOR_MESSAGES if type_ not in ("executor_info", "recovery", "exist_pending_workflows")
)
"""Types of the messages that the management API, alerts, retention and the collection of metrics lead to. The three
others are a relay's own."""


class CallAt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One call. ``version``: only executors of this application version may be asked (of a resume: the latest)."""

    type: str
    at_s: float
    app: str = "app"
    request: str = "{}"
    answer: str = "{}"
    version: str | None = None

    @property
    def fields(self) -> dict[str, Any]:
        """Of the request, beside type and id. Raises `ScheduleError`."""
        return _object("request", self.request)

    @property
    def answers(self) -> dict[str, Any]:
        """The fields of the answer, beside type and id. Raises `ScheduleError`."""
        return _object("answer", self.answer)


def check_call(call: CallAt, apps: list[str], duration_s: float, place: str) -> None:
    """Raises `ScheduleError`: for a request that not every SDK survives, too, and for an answer that is none."""
    if call.type not in OPERATIONS:
        known = list(OPERATIONS)
        raise ScheduleError(f"{place}: type is {call.type!r}{near(call.type, known)}: give one of {words(known)}")
    if not 0 <= call.at_s <= duration_s:
        raise ScheduleError(
            f"{place} ({call.type}): at_s is {call.at_s}: give 0 to the schedule's duration_s, {duration_s:g}"
        )
    if call.app not in apps:
        raise ScheduleError(f"{place} ({call.type}): app is {call.app!r}: give that of an executor: {words(apps)}")
    try:
        _check_messages(call.type, call.request, call.answer)
    except ScheduleError as problem:
        raise ScheduleError(f"{place} ({call.type}): {problem}") from problem


@lru_cache(maxsize=4096)
def _check_messages(type_: str, request: str, answer: str) -> None:
    envelope = {"type": type_, "request_id": "r-1"}
    asked = msgspec.json.encode({**envelope, **_object("request", request)})
    if found := [each for each in violations("text", asked) if each.rule != "java-import-sniff"]:  # escaped when sent
        raise ScheduleError(f"request: {found[0].message}")
    try:
        response = CATALOGUE[type_].response
        decode_response_as(msgspec.json.encode({**envelope, **_object("answer", answer)}), response)
    except DecodeError as problem:
        raise ScheduleError(f"answer: {problem}") from problem


@lru_cache(maxsize=4096)
def _read(text: str) -> Any:
    return msgspec.json.decode(text)


def _object(name: str, text: str) -> dict[str, Any]:
    try:
        found = _read(text)
    except (msgspec.DecodeError, RecursionError, ValueError) as problem:
        raise ScheduleError(f"{name} is not JSON: {problem}") from problem
    if not isinstance(found, dict):
        raise ScheduleError(f"{name} is no JSON object: give the fields of the message, such as {{}}")
    return dict(found)
