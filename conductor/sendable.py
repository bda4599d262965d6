"""Which frames a relay may send: the forms that all four SDKs survive and read alike (clause ENV-12).

A frame that breaks a rule makes at least one SDK drop the socket, end its process, never answer, or answer something
else than was asked. Sources: measured with dbos 2.31.1 and @dbos-inc/dbos-sdk 4.27.6, read in the MIT-licensed Go and
Java clients. `violations` judges any frame of any relay; `conductor.outgoing` holds our own to the same rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, TypeGuard

import msgspec
from msgspec import Struct

from conductor.catalogue import CATALOGUE, MessageSpec
from conductor.fields import FieldShape, body_shape, shapes
from conductor.harms import (
    ALL_MISREAD,
    Harm,
    absent_body_harm,
    absent_field_harm,
    no_object_harm,
    null_harm,
    wrong_type_harm,
)

__all__ = ["JAVA_IMPORT_MARK", "TYPES_WITH_MEANING_RULES", "Harm", "Violation", "time_violations", "violations"]

_JAVA_SNIFFS_CHARACTERS = 200
JAVA_IMPORT_MARK = '"import_workflow"'
"""Java takes a message with this text early for an import, before it parses any JSON."""

TYPES_WITH_MEANING_RULES = frozenset(
    {"fork_workflow", "fork_from_failure", "get_workflow_aggregates", "get_step_aggregates"}
)
"""The types whose bodies have rules beyond JSON types, times and empty arrays; what is flat has none but `[]`."""

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
    text, frame, failure = _parsed(payload)
    if opcode != "text":
        kills = {"python": Harm.IGNORED, "go": Harm.DISCONNECT, "java": Harm.IGNORED}
        if failure:  # TypeScript takes binary for text (measured)
            kills["typescript"] = Harm.PROCESS_EXIT
        return [Violation("text-only", f"the frame is {opcode}: send requests as text frames", kills)]
    if failure:
        kills = {"python": Harm.DISCONNECT, "typescript": Harm.PROCESS_EXIT, "go": Harm.NO_REPLY, "java": Harm.NO_REPLY}
        return [Violation("valid-json", f"the frame is not one JSON value: {failure}", kills)]
    if not isinstance(frame, dict):
        return [Violation("one-object", "the frame is JSON but no object", no_object_harm(frame))]
    return [*_envelope(frame, text), *_fields(frame)]


def _parsed(payload: bytes) -> tuple[str, Any, str]:
    """The frame as text, its JSON value, and why it has none (empty when it has one)."""
    try:
        return str(payload, "utf-8"), msgspec.json.decode(payload), ""
    except (msgspec.MsgspecError, RecursionError, ValueError) as failure:
        return "", None, str(failure) or type(failure).__name__


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
    if message_type != "import_workflow" and JAVA_IMPORT_MARK in text[:_JAVA_SNIFFS_CHARACTERS]:
        yield Violation(
            "java-import-sniff",
            f"{JAVA_IMPORT_MARK} stands in the first {_JAVA_SNIFFS_CHARACTERS} characters of another message",
            {"java": Harm.NO_REPLY},
        )


def _fields(frame: dict[str, Any]) -> Iterator[Violation]:
    message_type = frame.get("type")
    spec = CATALOGUE.get(message_type) if isinstance(message_type, str) else None
    if spec is None:
        return
    if spec.nesting == "flat":
        yield from _check_shapes(spec, shapes(spec.request), frame)
        yield from _check_meaning(spec, frame)
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
            yield from time_violations(field.name, value)


def time_violations(name: str, value: str) -> Iterator[Violation]:
    """Judge the text of one time field."""
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
    if spec.type == "recovery" and body.get("executor_ids") == []:
        # Java leaves the condition out and takes every PENDING row of its version (measured).
        yield Violation("recovery-of-somebody", "executor_ids names nobody: send one or more", {"java": Harm.MISREAD})
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
