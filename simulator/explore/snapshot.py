"""A copy of a running core that can be put back: whatever attributes it has, those of a subclass included.

The core's tables are persistent maps and its records are frozen, so both are shared; what is changed in place
(deadlines, indexes, an attribute that a broken core keeps beside its tables) is copied. Unlike `Core.state`, which is
the form to keep, this one also goes back in time on the same object.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

from reference_relay.core import Core
from reference_relay.core.timers import TimerHeap

Copier = Callable[[Any], Any]

_SAME = ("_handlers", "_effects")  # made once; made anew by every event


class Snapshot(NamedTuple):
    """Attributes by name, and which of them are changed in place."""

    attributes: dict[str, Any]
    copied: tuple[tuple[str, Copier], ...]


def take(core: Core) -> Snapshot:
    """All of its attributes as they stand."""
    taken = leave(core)
    for name, copier in taken.copied:
        taken.attributes[name] = copier(taken.attributes[name])
    return taken


def leave(core: Core) -> Snapshot:
    """As `take`, but nothing is copied: another snapshot must be put before the core goes on."""
    attributes = vars(core).copy()
    for name in _SAME:
        attributes.pop(name, None)
    copied = []
    for name, value in attributes.items():
        copier = _COPIERS.get(type(value))
        if copier is _dict and all(type(part) not in _COPIERS for part in value.values()):
            copier = dict.copy
        if copier is not None:
            copied.append((name, copier))
    return Snapshot(attributes, tuple(copied))


def put(core: Core, snapshot: Snapshot) -> None:
    """Make the core what it was; the snapshot may be put back again."""
    attributes = vars(core)
    attributes.update(snapshot.attributes)
    for name, copier in snapshot.copied:
        attributes[name] = copier(snapshot.attributes[name])


def _dict(value: dict[Any, Any]) -> dict[Any, Any]:
    copy = value.copy()
    if not copy:
        return copy
    for key, part in copy.items():
        copier = _COPIERS.get(type(part))
        if copier is not None:
            copy[key] = copier(part)
    return copy


_COPIERS: dict[type, Copier] = {
    dict: _dict,
    list: list.copy,
    set: set.copy,
    Counter: Counter.copy,
    OrderedDict: OrderedDict.copy,
    TimerHeap: TimerHeap.copy,
}
