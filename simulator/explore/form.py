"""The normal form of a machine's state: equal for two states that behave alike.

Times are relative to now; connection and request numbers, which only name things, become places in an order. Counters
that no decision depends on (how often a recovery was dispatched) are left out, and those that a decision depends on
only up to a bound (rounds of failover: the backoff has its cap) are cut there. What the store holds is left out because
it is judged to be what is listed. Whatever attributes a broken core has of its own count as they are.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from reference_relay.core import Core
from reference_relay.core.records import Application, Connection, Executor, ExecutorKey, Pending, Recovery
from simulator.explore.model import Model
from simulator.explore.outside import Conn, Frame, Life, Outside, key_of

KEY_BYTES = 16
_encode = msgspec.msgpack.encode
_OWN = frozenset(vars(Core()))
_OWN_COUNT = len(_OWN)
_UNIT_NS = 1_000_000_000
_NEVER = -(10**6)  # ns; no relative time of a model is that
_KEYS: dict[str, tuple[ExecutorKey, ...]] = {}


def key(core: Core, outside: Outside, model: Model) -> bytes:
    """A digest of the normal form, equal in every process."""
    return hashlib.blake2b(_encode(form(core, outside, model)), digest_size=KEY_BYTES).digest()


def form(core: Core, outside: Outside, model: Model) -> tuple[Any, ...]:
    """Nested tuples and lists of numbers, texts and truth values."""
    now, conns, frames = outside.now_ns, outside.conns, outside.frames
    numbers = [*conns]
    if len(numbers) > 1:
        numbers = [number for _, number in sorted([(conn.index, number) for number, conn in conns.items()])]
    places: dict[int | None, int] = {number: place for place, number in enumerate(numbers)}
    places[None] = -1
    late = bool(core.late)
    asked = [_frame(frame, core, outside, places) for frame in frames.values()]
    if len(asked) > 1:
        asked.sort()
    return (
        [_application(each, now) for each in core.applications.values()],
        [
            (_executor(core.executors.get(name), now, places, late, model.most_rounds),
             _life(outside.lives.get(name), now, places), _remembered(core, name, now))
            for name in _keys(model)
        ],
        [(_conn(conns[number], now), _connection(core.connections.get(number), now)) for number in numbers],
        asked,
        (len(core.pending), len(core.late), len(core.connections), len(outside.calls)),
        [(each.type, len(each.asked), each.due_ns - now) for each in core.calls.values()],
        sorted(outside.latest.items()) if outside.latest else (),
        _extras(core) if len(vars(core)) > _OWN_COUNT else (),
    )  # fmt: skip


def _keys(model: Model) -> tuple[ExecutorKey, ...]:
    keys = _KEYS.get(model.name)
    if keys is None or len(keys) != len(model.members):
        keys = _KEYS[model.name] = tuple(key_of(member) for member in model.members)
    return keys


def _relative(at_ns: int | None, now: int) -> int:
    return _NEVER if at_ns is None else at_ns - now


def _application(each: Application, now: int) -> tuple[Any, ...]:
    settings, seek_ns, sweep_ns = each.settings, each.seek_ns, each.sweep_ns
    return (
        each.key, settings.executor_timeout_s, settings.recover_to_latest_version, each.language, each.latest_version,
        _NEVER if seek_ns is None else seek_ns - now, _NEVER if sweep_ns is None else sweep_ns - now,
    )  # fmt: skip


def _executor(
    each: Executor | None, now: int, places: dict[int | None, int], late: bool, most_rounds: int
) -> tuple[Any, ...]:
    if each is None:
        return ()
    return (
        each.status, places.get(each.conn, -2), each.info.application_version, each.info.language,
        _relative(each.disconnected_ns, now), _relative(each.dead_at_ns, now),
        () if each.recovery is None else _recovery(each.recovery, now, late, most_rounds),
    )  # fmt: skip


def _recovery(each: Recovery, now: int, late: bool, most_rounds: int) -> tuple[Any, ...]:
    out = each.request_id is not None
    return (
        each.phase, min(each.rounds, most_rounds), _relative(each.due_ns, now), each.peer if out or late else None,
        out, each.asked, each.tried_latest, each.checks if out else 0, each.surfaced is not None, each.cause,
    )  # fmt: skip


def _life(each: Life | None, now: int, places: dict[int | None, int]) -> tuple[Any, ...]:
    if each is None:
        return ()
    since = dead_from = dead_by = -1
    if each.since_ns:
        since, dead_from, dead_by = (
            now - each.since_ns,
            max(each.dead_from_ns - now, -1),
            max(each.dead_by_ns - now, -1),
        )
    return (
        each.status, places.get(each.conn, -2), since, dead_from, dead_by, each.acknowledged, each.check != "",
        each.left, each.told,
    )  # fmt: skip


def _remembered(core: Core, name: ExecutorKey, now: int) -> int:
    each = core.remembered.get(name)
    return -1 if each is None else max(each.until_ns - now, 0) // _UNIT_NS


def _conn(each: Conn, now: int) -> tuple[Any, ...]:
    return (
        each.index, now - each.heard_ns, now - each.pinged_ns, each.answered, each.introduced, each.silent,
        -1 if each.introduced else now - each.opened_ns,
    )  # fmt: skip


def _connection(each: Connection | None, now: int) -> tuple[Any, ...]:
    if each is None:
        return ()
    return (
        each.executor_id, now - each.last_frame_ns, each.next_ping_ns - now, _relative(each.handshake_by_ns, now)
    )  # fmt: skip


def _frame(each: Frame, core: Core, out: Outside, places: dict[int | None, int]) -> tuple[Any, ...]:
    """A request, as the executor that was asked sees it and as the core does."""
    now, life = out.now_ns, out.lives.get(each.about) if each.about is not None else None
    return (
        each.type, each.about or (), places.get(each.conn, -2), max(each.due_ns - now, 0), each.moot,
        life is not None and life.check == each.request_id, *_pending(core.pending.get(each.request_id), now),
        each.request_id in core.late,
    )  # fmt: skip


def _pending(each: Pending | None, now: int) -> tuple[Any, ...]:
    if each is None:
        return ("", 0, False)
    return (each.purpose, max(each.due_ns - now, 0), each.moot)


def _extras(core: Core) -> list[str]:
    return [f"{name}={value!r}" for name, value in sorted(vars(core).items()) if name not in _OWN]
