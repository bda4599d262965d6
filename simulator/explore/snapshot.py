"""A copy of a running core that can be put back: whatever attributes it has, those of a subclass included.

The core's tables are persistent maps and its records are frozen, so both are shared; what is changed in place
(deadlines, indexes, an attribute that a broken core keeps beside its tables) is copied. Unlike `Core.state`, which is
the form to keep, this one also goes back in time on the same object.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any

from reference_relay.core import Core
from reference_relay.core.timers import TimerHeap

Snapshot = dict[str, Any]
Copier = Callable[[Any], Any]

_SAME = ("_handlers", "_effects")  # made once; made anew by every event


def take(core: Core) -> Snapshot:
    """All of its attributes as they stand."""
    copy = vars(core).copy()
    for name in _SAME:
        copy.pop(name, None)
    for name, value in copy.items():
        copier = _COPIERS.get(type(value))
        if copier is not None:
            copy[name] = copier(value)
    return copy


def put(core: Core, snapshot: Snapshot) -> None:
    """Make the core what it was; the snapshot may be put back again."""
    attributes = vars(core)
    attributes.update(snapshot)
    for name, value in snapshot.items():
        copier = _COPIERS.get(type(value))
        if copier is not None:
            attributes[name] = copier(value)


def _dict(value: dict[Any, Any]) -> dict[Any, Any]:
    copy = value.copy()
    for key, part in copy.items():
        copier = _COPIERS.get(type(part))
        if copier is not None:
            copy[key] = copier(part)
    return copy


def _timers(heap: TimerHeap) -> TimerHeap:
    copy = TimerHeap.__new__(TimerHeap)
    for name in TimerHeap.__slots__:
        value = getattr(heap, name)
        setattr(copy, name, value if value is None or type(value) is int else value.copy())
    return copy


_COPIERS: dict[type, Copier] = {
    dict: _dict,
    list: list.copy,
    set: set.copy,
    Counter: Counter.copy,
    OrderedDict: OrderedDict.copy,
    TimerHeap: _timers,
}
