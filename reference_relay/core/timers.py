"""One heap of deadlines. Entries are hints: whoever pops one looks at the record again.

A deadline that moves (each pong moves the silence deadline) is not searched for in the heap; the
old entry comes up, finds that the record's time is later, and is pushed again for that time. The
order of equal deadlines is total: by kind, then by key.
"""

from __future__ import annotations

import heapq
from enum import IntEnum


class Timer(IntEnum):
    """Kinds, in the order in which equal deadlines fire."""

    PING = 0
    SILENCE = 1
    HANDSHAKE = 2
    GRACE = 3
    REQUEST = 4
    CALL = 5
    BACKOFF = 6
    SEEK = 7
    SWEEP = 8


Key = tuple[str | int, ...]
Entry = tuple[int, Timer, Key]


class TimerHeap:
    """Deadlines in integer nanoseconds, at most one live entry per (kind, key)."""

    __slots__ = ("_heap", "_live")

    def __init__(self) -> None:
        self._heap: list[Entry] = []
        self._live: dict[tuple[Timer, Key], int] = {}

    def arm(self, kind: Timer, key: Key, due_ns: int) -> None:
        """Make sure that an entry comes up no later than ``due_ns``."""
        live = self._live.get((kind, key))
        if live is None or live > due_ns:
            self._live[kind, key] = due_ns
            heapq.heappush(self._heap, (due_ns, kind, key))

    def next_due_ns(self) -> int | None:
        heap = self._heap
        while heap:
            due_ns, kind, key = heap[0]
            if self._live.get((kind, key)) == due_ns:
                return due_ns
            heapq.heappop(heap)  # replaced by an earlier entry, which has fired
        return None

    def pop_due(self, now_ns: int) -> Entry | None:
        """The next entry that is due, or None."""
        due_ns = self.next_due_ns()
        if due_ns is None or due_ns > now_ns:
            return None
        entry = heapq.heappop(self._heap)
        del self._live[entry[1], entry[2]]
        return entry

    def clear(self) -> None:
        self._heap.clear()
        self._live.clear()
