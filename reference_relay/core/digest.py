"""A digest of the state that a shift in time leaves alone, at the cost of the records that changed.

The digest is a sum over records, so a changed record costs one subtraction and one addition. Every
point in time enters as h * R**t modulo a prime; multiplying the sum by R**-now makes all of them
relative to now at once. Numbers that only name things (connection and request numbers) are left
out: two states that differ by them behave alike.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

P = (1 << 127) - 1  # a Mersenne prime
R = 3
_MASK = (1 << 128) - 1

# Per table: fields that only name things (replaced by whether they are set) or that only people read.
_NAMES: dict[str, frozenset[str]] = {
    "executors": frozenset({"conn"}),
    "connections": frozenset({"conn"}),
    "pending": frozenset({"request_id", "conn", "call_id"}),
    "late": frozenset({"request_id", "conn", "call_id"}),
    "calls": frozenset({"call_id"}),
}
_PEOPLE = frozenset({"created_ms", "updated_ms"})


def static_form(table: str, record: Any) -> tuple[object, ...]:
    """The part of a record that is no time, without mere names."""
    names = _NAMES.get(table, frozenset())
    times = record.TIMES
    parts: list[object] = [table]
    for name in record.__struct_fields__:
        if name in times or name in _PEOPLE:
            continue
        value = getattr(record, name)
        if name in names:
            value = value is not None
        elif name == "recovery" and value is not None:
            value = tuple(
                (key, part is not None if key == "request_id" else part)
                for key, part in msgspec.structs.asdict(value).items()
                if key != "due_ns"
            )
        parts.append((name, value))
    return tuple(parts)


def times_of(record: Any) -> list[tuple[str, int]]:
    """The points in time of a record, by name, in ns."""
    times = [(name, at) for name in record.TIMES if (at := getattr(record, name)) is not None]
    recovery = getattr(record, "recovery", None)
    if recovery is not None and recovery.due_ns is not None:
        times.append(("recovery.due_ns", recovery.due_ns))
    return times


def relative_form(table: str, record: Any, now_ns: int) -> tuple[object, ...]:
    """A record for people and for comparisons: its static form and its times as ns from now."""
    return (*static_form(table, record), *((name, at - now_ns) for name, at in times_of(record)))


def _number(value: object) -> int:
    return int.from_bytes(hashlib.blake2b(repr(value).encode(), digest_size=16).digest(), "big")


def contribution(table: str, record: Any) -> tuple[int, int]:
    """What one record adds to the two sums of `Sums`."""
    form = static_form(table, record)
    timed = 0
    for name, at_ns in times_of(record):
        timed += (_number((form, name)) % P) * pow(R, at_ns % (P - 1), P)
    return _number(form), timed % P


class Sums(msgspec.Struct, frozen=True):
    """The running digest: of what is no time, and of times."""

    static: int = 0
    timed: int = 0

    def add(self, table: str, record: Any) -> Sums:
        static, timed = contribution(table, record)
        return Sums((self.static + static) & _MASK, (self.timed + timed) % P)

    def remove(self, table: str, record: Any) -> Sums:
        static, timed = contribution(table, record)
        return Sums((self.static - static) & _MASK, (self.timed - timed) % P)

    def relative_to(self, now_ns: int) -> str:
        """The digest as 64 hexadecimal digits."""
        shifted = self.timed * pow(R, (P - 1) - now_ns % (P - 1), P) % P
        return f"{self.static:032x}{shifted:032x}"
