"""Invariants of the form of what a relay sends: whom it would harm, and what the catalogue asks of each type."""

from __future__ import annotations

import base64
import binascii
from functools import lru_cache

from conductor.sendable import Violation, violations
from evidence.events import Frame
from evidence.history import History
from evidence.rules import invariant
from evidence.rules.always_wire import all_or_first, data_frames
from evidence.verdict import Finding, Verdict
from spec.contract import MESSAGE_TYPES

__all__ = ["nothing_kills_an_sdk", "requests_keep_their_form"]

_CLAUSES = {type: f"MSG-{type}" for type in MESSAGE_TYPES}
"""Not restart: it has no lawful form, for MSG-restart says that it is never sent."""

_OF_THE_ENVELOPE = frozenset({"type-string", "known-type", "request-id-string", "java-import-sniff"})
_ALLOWED = frozenset({"no-null-flag"})
"""An optional field may be null by the MSG clauses; that one SDK misreads a null flag is ENV-12's business."""


@invariant("ENV-12")
def nothing_kills_an_sdk(history: History) -> list[Finding]:
    """No frame of the relay has a form that one of the four SDKs does not survive."""
    expected = "only frames that all four SDKs survive"
    sent = [frame for conn in history.connections.values() for frame in data_frames(conn) if frame.size is None]
    for frame in sent:
        broken = _violations(frame.op, _payload(frame))
        if broken:
            return [_broken("ENV-12", "nothing_kills_an_sdk", expected, frame, broken[0])]
    return all_or_first("ENV-12", "nothing_kills_an_sdk", expected, sent, [])


@invariant(*_CLAUSES.values())
def requests_keep_their_form(history: History) -> list[Finding]:
    """Each request has the required fields of its type, and none of a wrong JSON type or in a wrong place."""
    found: dict[str, Finding] = {}
    for _, ask in history.asks:
        type, frame = ask.request.type, ask.request.frame
        if type not in _CLAUSES:
            continue
        clause, expected = _CLAUSES[type], f"{type} as the catalogue has it"
        broken = [
            each
            for each in _violations(frame.op, _payload(frame))
            if each.rule not in _OF_THE_ENVELOPE and each.rule not in _ALLOWED
        ]
        if broken and (clause not in found or found[clause].verdict is Verdict.OK):
            found[clause] = _broken(clause, "requests_keep_their_form", expected, frame, broken[0])
        elif clause not in found:
            found[clause] = Finding(
                clause=clause, verdict=Verdict.OK, rule="requests_keep_their_form", expected=expected,
                seen="so it was", events=(frame.n,),
            )  # fmt: skip
    return list(found.values())


@lru_cache(maxsize=4096)
def _violations(op: str, payload: bytes) -> tuple[Violation, ...]:
    """Two invariants look at each frame."""
    return tuple(violations(op, payload))


def _payload(frame: Frame) -> bytes:
    if not frame.b64:
        return frame.data.encode()
    try:
        return base64.b64decode(frame.data)
    except binascii.Error:
        return frame.data.encode()


def _broken(clause: str, rule: str, expected: str, frame: Frame, first: Violation) -> Finding:
    return Finding(
        clause=clause, verdict=Verdict.FAILED, rule=rule, expected=expected, events=(frame.n,),
        seen=f"{first.rule}: {first.message}",
    )  # fmt: skip
