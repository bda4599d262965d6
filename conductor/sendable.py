"""Which frames a relay may send: the forms that all four SDKs survive and read alike (clause ENV-12).

A frame that breaks a rule makes at least one SDK drop the socket, end its process, never answer, or answer something
else than was asked. Sources: measured with dbos 2.31.1 and @dbos-inc/dbos-sdk 4.27.6, read in the MIT-licensed Go and
Java clients. `violations` judges any frame of any relay; `ensure_sendable` guards our own in about a microsecond.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any, TypeGuard

import msgspec
from msgspec import Struct

from conductor.catalogue import CATALOGUE, MessageSpec
from conductor.errors import EncodeError
from conductor.fields import FieldShape, body_shape, shapes
from conductor.harms import (
    ALL_MISREAD,
    Harm,
    absent_body_harm,
    absent_field_harm,
    null_harm,
    wrong_type_harm,
)
from conductor.messages import RequestBase

__all__ = ["Harm", "Violation", "ensure_sendable", "violations"]

_JAVA_SNIFFS_CHARACTERS = 200
_JAVA_IMPORT_MARK = '"import_workflow"'
_GO_LARGEST_START_STEP = 1_073_741_823
_PAIRED_FILTERS = (("workflow_ids", "workflow_uuids"), ("user", "authenticated_user"))
_FORK_SELECTORS = ("from_last_failure", "from_last_step", "from_step", "from_step_name")
_ISO_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})")
_PYTHON_310_TIME = re.compile(r"[^.Z]*(\.[0-9]{3}([0-9]{3})?)?[+-][0-9]{2}:[0-9]{2}")


class Violation(Struct, frozen=True):
    """One broken rule: its stable id, a sentence that names the field, and which SDKs are hurt in which way."""

    rule: str
    message: str
    kills: Mapping[str, Harm]

    @property
    def fatal(self) -> bool:
        """Whether an SDK loses its socket, its process or the request, rather than answering with an error."""
        return any(harm.fatal for harm in self.kills.values())


def violations(opcode: str, payload: bytes) -> list[Violation]:
    """Judge one frame that a relay sent: `opcode` is text or binary, `payload` the whole message. Never raises.

    An empty list means that all four SDKs take the frame as it is meant.
    """
    if opcode != "text":
        # TypeScript takes binary for text: good JSON is answered, anything else ends the process (measured).
        kills = {"python": Harm.IGNORED, "go": Harm.DISCONNECT, "java": Harm.IGNORED}
        return [Violation("text-only", f"the frame is {opcode}: send requests as text frames", kills)]
    try:
        text = str(payload, "utf-8")
        frame = msgspec.json.decode(payload)
    except (msgspec.MsgspecError, RecursionError, ValueError) as failure:
        kills = {"python": Harm.DISCONNECT, "typescript": Harm.PROCESS_EXIT, "go": Harm.NO_REPLY, "java": Harm.NO_REPLY}
        return [Violation("valid-json", f"the frame is not one JSON value: {failure}", kills)]
    if not isinstance(frame, dict):
        kills = {"python": Harm.DISCONNECT, "go": Harm.NO_REPLY, "java": Harm.NO_REPLY}
        return [Violation("one-object", "the frame is JSON but no object", kills)]
    return [*_envelope(frame, text), *_fields(frame)]


def _envelope(frame: dict[str, Any], text: str) -> Iterator[Violation]:
    message_type = frame.get("type")
    if not isinstance(message_type, str):
        # Go reads an absent or null field as empty text, and gives up on one of another type.
        go = Harm.ERROR_REPLY if message_type is None else Harm.NO_REPLY
        kills = {"python": Harm.DISCONNECT, "typescript": Harm.ERROR_REPLY, "go": go, "java": Harm.NO_REPLY}
        yield Violation("type-string", "type is missing or no string", kills)
    elif message_type not in CATALOGUE:
        kills = dict.fromkeys(("python", "typescript", "go", "java"), Harm.ERROR_REPLY)
        yield Violation("known-type", f"type {message_type[:80]!r} is in no catalogue", kills)
    request_id = frame.get("request_id")
    if not isinstance(request_id, str):
        go = Harm.MISREAD if request_id is None else Harm.NO_REPLY
        kills = {"python": Harm.DISCONNECT, "typescript": Harm.MISREAD, "go": go, "java": Harm.MISREAD}
        yield Violation("request-id-string", "request_id is missing or no string", kills)
    if message_type != "import_workflow" and _JAVA_IMPORT_MARK in text[:_JAVA_SNIFFS_CHARACTERS]:
        yield Violation(
            "java-import-sniff",
            f"{_JAVA_IMPORT_MARK} stands in the first {_JAVA_SNIFFS_CHARACTERS} characters of another message",
            {"java": Harm.NO_REPLY},
        )


def _fields(frame: dict[str, Any]) -> Iterator[Violation]:
    message_type = frame.get("type")
    spec = CATALOGUE.get(message_type) if isinstance(message_type, str) else None
    if spec is None:
        return
    if spec.nesting == "flat":
        yield from _check_shapes(spec, shapes(spec.request), frame)
        return
    body = frame.get("body")
    if body is None:
        harm = absent_body_harm(spec.type, null="body" in frame)
        if harm:
            yield Violation("body-present", f"{spec.type} needs an object under body", harm)
    elif not isinstance(body, dict):
        yield Violation("wrong-type:body", f"body is {_json_type(body)}, not object", wrong_type_harm(spec.type, body))
    else:
        yield from _check_shapes(spec, body_shape(spec.request), body)
        yield from _check_meaning(spec, body)


def _check_shapes(spec: MessageSpec, fields: tuple[FieldShape, ...], values: dict[str, Any]) -> Iterator[Violation]:
    for field in fields:
        if field.name not in values:
            if field.required:
                harm = absent_field_harm(spec.type, field.name)
                yield Violation(f"always-field:{field.name}", f"{spec.type} must always carry {field.name}", harm)
        elif (value := values[field.name]) is None and not field.nullable and field.kinds == {"boolean"}:
            harm = null_harm(spec.type, field.name)
            yield Violation("no-null-flag", f"{field.name} is null: send true, false or nothing", harm)
        elif not field.accepts(value):
            harm = null_harm(spec.type, field.name) if value is None else wrong_type_harm(spec.type, value)
            expected = " or ".join(sorted(field.kinds))
            yield Violation(
                f"wrong-type:{field.name}",
                f"{field.name} is {_json_type(value)}, not {expected} with what it may hold",
                harm,
            )
        elif value == [] and not field.required:
            kills = {"typescript": Harm.ERROR_REPLY if spec.nesting == "body" else Harm.MISREAD}
            yield Violation("no-empty-filter-array", f"{field.name} is an empty array: leave it out", kills)
        elif field.is_time and isinstance(value, str):
            yield from _check_time(field.name, value)


def _check_time(name: str, value: str) -> Iterator[Violation]:
    try:
        datetime.fromisoformat(value)
        well_formed = _ISO_TIME.fullmatch(value) is not None
    except ValueError:
        well_formed = False
    if not well_formed:
        kills = dict.fromkeys(("python", "typescript", "go", "java"), Harm.ERROR_REPLY)
        yield Violation("timestamp-form", f"{name} is {value[:40]!r}: send YYYY-MM-DDTHH:MM:SS.mmm+00:00", kills)
    elif _PYTHON_310_TIME.fullmatch(value) is None:
        yield Violation(
            "timestamp-python-3.10",
            f"{name} is {value[:40]!r}: Python 3.10 reads neither Z nor fractions of other than 3 or 6 digits",
            {"python": Harm.ERROR_REPLY},
        )


def _check_meaning(spec: MessageSpec, body: dict[str, Any]) -> Iterator[Violation]:
    everywhere = dict.fromkeys(("python", "typescript", "go", "java"), Harm.ERROR_REPLY)
    start_step = body.get("start_step")
    if spec.type == "fork_workflow" and _is_int(start_step) and not 0 <= start_step <= _GO_LARGEST_START_STEP:
        yield Violation(
            "start-step-range", f"start_step is {start_step}: send 0 to {_GO_LARGEST_START_STEP}", {"go": Harm.NO_REPLY}
        )
    bucket = body.get("time_bucket_size_ms")
    if spec.type in ("get_workflow_aggregates", "get_step_aggregates") and _is_int(bucket) and bucket <= 0:
        yield Violation("bucket-above-zero", f"time_bucket_size_ms is {bucket}: send 1 or more", everywhere)
    if spec.type == "get_workflow_aggregates":
        for one, other in _PAIRED_FILTERS:
            if body.get(one) != body.get(other):
                yield Violation(
                    "paired-filters", f"{one} and {other} name one filter: send both alike, or neither", ALL_MISREAD
                )
    if spec.type == "fork_from_failure":
        chosen = [name for name in _FORK_SELECTORS if body.get(name) is not None and body[name] is not False]
        if len(chosen) != 1:
            yield Violation("one-fork-selector", f"set exactly one of {', '.join(_FORK_SELECTORS)}", everywhere)


def _is_int(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _json_type(value: object) -> str:
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "null")


class _Guard(Struct, frozen=True):
    """What `ensure_sendable` needs per message class: a strict decoder, and when to judge the slow way."""

    decode: Callable[[bytes], Any]
    in_body: bool
    time_names: tuple[str, ...]
    has_meaning_rules: bool


def _guard(spec: MessageSpec) -> _Guard:
    fields = body_shape(spec.request) if spec.nesting == "body" else shapes(spec.request)
    return _Guard(
        decode=msgspec.json.Decoder(spec.request).decode,
        in_body=spec.nesting == "body",
        time_names=tuple(field.name for field in fields if field.is_time),
        has_meaning_rules=spec.type
        in ("fork_workflow", "fork_from_failure", "get_workflow_aggregates", "get_step_aggregates"),
    )


_GUARDS: dict[type[RequestBase], _Guard] = {spec.request: _guard(spec) for spec in CATALOGUE.values()}
_IMPORT_REQUEST = CATALOGUE["import_workflow"].request
_IMPORT_MARK = _JAVA_IMPORT_MARK.encode()
_IMPORT_MARK_ESCAPED = _IMPORT_MARK.replace(b"i", b"\\u0069", 1)


def ensure_sendable(request: RequestBase, payload: bytes) -> bytes:
    """Return the frame to send for `request`, whose JSON is `payload`. Raises EncodeError with every broken rule.

    Text that Java would take for an import is escaped, which changes no value.
    """
    request_class = type(request)
    if _IMPORT_MARK in payload and request_class is not _IMPORT_REQUEST:
        payload = payload.replace(_IMPORT_MARK, _IMPORT_MARK_ESCAPED)
    if not _is_plainly_sendable(_GUARDS[request_class], payload):
        found = violations("text", payload)
        if found:
            reasons = "; ".join(violation.message for violation in found)
            raise EncodeError(f"{request_class.__name__} would not be read alike by all SDKs: {reasons}")
    return payload


def _is_plainly_sendable(guard: _Guard, payload: bytes) -> bool:
    """True when the strict decoder alone proves the frame: required fields, JSON types and nulls are right, and no
    field is set that has a rule beyond them. False proves nothing."""
    if guard.has_meaning_rules or b"[]" in payload:
        return False
    try:
        decoded = guard.decode(payload)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return False
    if guard.time_names:
        holder = decoded.body if guard.in_body else decoded
        for name in guard.time_names:
            if getattr(holder, name):
                return False
    return True
