"""The normal form of a machine's state: equal for two states that behave alike.

Times are relative to now; connection and request numbers, which only name things, become places in an order. Counters
that no decision depends on (how often a recovery was dispatched) are left out, and those that a decision depends on
only up to a bound (rounds of failover: the backoff has its cap) are cut there. What the store holds is left out because
it is judged to be what is listed. Whatever attributes a broken core has of its own
count as they are.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from reference_relay.core import Core
from reference_relay.core.records import Application, Executor, Pending, Recovery
from simulator.explore.outside import Outside

KEY_BYTES = 16
_encode = msgspec.msgpack.encode
_OWN = frozenset(vars(Core()))
_UNIT_NS = 1_000_000_000


def key(core: Core, outside: Outside, most_rounds: int = 0) -> bytes:
    """A digest of the normal form, equal in every process."""
    return hashlib.blake2b(_encode(form(core, outside, most_rounds)), digest_size=KEY_BYTES).digest()


def form(core: Core, outside: Outside, most_rounds: int = 0) -> tuple[Any, ...]:
    """Nested tuples of numbers, texts and None."""
    now = outside.now_ns
    conns = sorted((conn.member.id, number) for number, conn in outside.conns.items())
    places: dict[int | None, int] = {number: place for place, (_, number) in enumerate(conns)}
    places[None] = -1
    return (
        sorted(_application(record, now) for record in core.applications.values()),
        sorted(_executor(record, now, places, bool(core.late), most_rounds) for record in core.executors.values()),
        sorted(
            (places.get(each.conn, -2), each.executor_id or "", now - each.last_frame_ns, each.next_ping_ns - now,
             _relative(each.handshake_by_ns, now))
            for each in core.connections.values()
        ),
        sorted(_pending(each, now, places) for each in core.pending.values()),
        sorted(_pending(each, now, places) for each in core.late.values()),
        sorted((each.type, each.asked, each.due_ns - now) for each in core.calls.values()),
        sorted((*each.key, max(each.until_ns - now, 0) // _UNIT_NS) for each in core.remembered.values()),
        _extras(core),
        _outside(outside, now, places),
    )  # fmt: skip


_NEVER = -(10**6)  # ns; no relative time of a model is that


def _relative(at_ns: int | None, now: int) -> int:
    return _NEVER if at_ns is None else at_ns - now


def _application(each: Application, now: int) -> tuple[Any, ...]:
    settings = each.settings
    return (
        *each.key, settings.executor_timeout_s, settings.recover_to_latest_version, each.language or "",
        each.latest_version or "", _relative(each.seek_ns, now), _relative(each.sweep_ns, now),
    )  # fmt: skip


def _executor(each: Executor, now: int, places: dict[int | None, int], late: bool, most_rounds: int) -> tuple[Any, ...]:
    return (
        *each.key, each.status.value, places.get(each.conn, -2), each.info.application_version,
        each.info.language or "", _relative(each.disconnected_ns, now), _relative(each.dead_at_ns, now),
        _recovery(each.recovery, now, late, most_rounds),
    )  # fmt: skip


def _recovery(each: Recovery | None, now: int, late: bool, most_rounds: int) -> tuple[Any, ...]:
    if each is None:
        return ()
    return (
        each.phase.value, min(each.rounds, most_rounds), _relative(each.due_ns, now),
        each.peer or "" if each.request_id is not None or late else "", each.request_id is not None, each.asked,
        each.tried_latest, each.checks if each.request_id is not None else 0, each.surfaced is not None, each.cause,
    )  # fmt: skip


def _pending(each: Pending, now: int, places: dict[int | None, int]) -> tuple[Any, ...]:
    return (
        each.type, each.purpose.value, places.get(each.conn, -2), each.executor or (), each.peer,
        max(each.due_ns - now, 0), each.moot, each.call_id is not None,
    )  # fmt: skip


def _extras(core: Core) -> list[str]:
    attributes = vars(core)
    if len(attributes) == len(_OWN):
        return []
    return [f"{name}={value!r}" for name, value in sorted(attributes.items()) if name not in _OWN]


def _outside(out: Outside, now: int, places: dict[int | None, int]) -> tuple[Any, ...]:
    return (
        sorted(
            (places[number], each.member.id, now - each.heard_ns, now - each.pinged_ns, each.answered, each.introduced,
             each.silent, -1 if each.introduced else now - each.opened_ns)
            for number, each in out.conns.items()
        ),
        sorted(
            (each.type, each.about or (), places.get(each.conn, -2), max(each.due_ns - now, 0), each.moot,
             each.about in out.lives and out.lives[each.about].check == each.request_id)
            for each in out.frames.values()
        ),
        sorted(
            (key, each.status.value, places.get(each.conn, -2), now - each.since_ns if each.since_ns else -1,
             max(each.dead_from_ns - now, -1), max(each.dead_by_ns - now, -1), each.acknowledged, each.check != "",
             each.left, each.told)
            for key, each in out.lives.items()
        ),
        sorted((key, each.executor_timeout_s, each.recover_to_latest_version) for key, each in out.settings.items()),
        sorted(out.latest.items()),
        len(out.calls),
    )  # fmt: skip
