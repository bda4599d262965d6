"""One heap of deadlines, and a queue for those of management calls. Entries are hints: whoever pops one looks at the
record again.

A deadline that moves (each pong moves the silence deadline) is not searched for in the heap; the
old entry comes up, finds that the record's time is later, and is pushed again for that time. The
order of equal deadlines is total: by kind, then by key.
"""

from __future__ import annotations

import heapq
from collections import OrderedDict
from enum import IntEnum


class Timer(IntEnum):
    """Kinds, in the order in which equal deadlines fire.

    Those up to `LAST_OF_LIVENESS` tell who is still there: of all that is due at one tick they fire first.
    """

    PING = 0
    SILENCE = 1
    HANDSHAKE = 2
    GRACE = 3
    REQUEST = 4
    CALL = 5
    BACKOFF = 6
    SEEK = 7
    SWEEP = 8

    __hash__ = int.__hash__  # that of Enum is written in Python, and each deadline pays for it


LAST_OF_LIVENESS = Timer.HANDSHAKE


Key = tuple[str | int, ...]
Entry = tuple[int, Timer, Key]


class TimerHeap:
    """Deadlines in integer nanoseconds, at most one live entry per (kind, key)."""

    __slots__ = ("_first_queued_ns", "_heap", "_last_queued_ns", "_live", "_next_ns", "_queue")

    def __init__(self) -> None:
        self._heap: list[Entry] = []
        self._live: dict[tuple[Timer, Key], int] = {}
        self._next_ns: int | None = None  # of the heap
        self._queue: OrderedDict[str, int] = OrderedDict()  # request id -> deadline, growing
        self._first_queued_ns: int | None = None  # none in the queue is due before
        self._last_queued_ns = 0

    def arm(self, kind: Timer, key: Key, due_ns: int) -> None:
        """Make sure that an entry comes up no later than ``due_ns``."""
        live = self._live.get((kind, key))
        if live is None or live > due_ns:
            self._live[kind, key] = due_ns
            heapq.heappush(self._heap, (due_ns, kind, key))
            if self._next_ns is None or due_ns < self._next_ns:
                self._next_ns = due_ns

    def arm_call(self, request_id: str, due_ns: int) -> None:
        """As `arm`, for the request of a management call. Nearly all have the same time to answer, so their deadlines
        come in order and need no heap; answered in time, as nearly all are, they leave no entry behind either."""
        if due_ns >= self._last_queued_ns or not self._queue:
            self._queue[request_id] = self._last_queued_ns = due_ns
            if self._first_queued_ns is None or due_ns < self._first_queued_ns:
                self._first_queued_ns = due_ns
        else:
            self.arm(Timer.CALL, (request_id,), due_ns)

    def disarm_call(self, request_id: str) -> None:
        self._queue.pop(request_id, None)

    def next_due_ns(self) -> int | None:
        """Nothing is due before; what was disarmed since may still count."""
        first_ns, next_ns = self._first_queued_ns, self._next_ns
        return first_ns if next_ns is None or (first_ns is not None and first_ns < next_ns) else next_ns

    def pop_due(self, now_ns: int) -> Entry | None:
        """The next entry that is due, or None."""
        queued = self._first_queued()
        if queued is not None and queued[0] <= now_ns and (self._next_ns is None or queued < self._heap[0]):
            _, _, (request_id,) = queued
            del self._queue[str(request_id)]
            self._first_queued()
            return queued
        if self._next_ns is None or self._next_ns > now_ns:
            return None
        entry = heapq.heappop(self._heap)
        del self._live[entry[1], entry[2]]
        self._next_ns = self._heap_due_ns()
        return entry

    def copy(self) -> TimerHeap:
        """One of its own with the same deadlines."""
        other = TimerHeap.__new__(TimerHeap)
        other._heap, other._live, other._next_ns = self._heap.copy(), self._live.copy(), self._next_ns
        other._queue = self._queue.copy() if self._queue else OrderedDict()
        other._first_queued_ns, other._last_queued_ns = self._first_queued_ns, self._last_queued_ns
        return other

    def clear(self) -> None:
        self._heap.clear()
        self._live.clear()
        self._queue.clear()
        self._next_ns = self._first_queued_ns = None

    def _first_queued(self) -> Entry | None:
        for request_id, due_ns in self._queue.items():
            self._first_queued_ns = due_ns
            return due_ns, Timer.CALL, (request_id,)
        self._first_queued_ns = None
        return None

    def _heap_due_ns(self) -> int | None:
        heap = self._heap
        while heap:
            due_ns, kind, key = heap[0]
            if self._live.get((kind, key)) == due_ns:
                return due_ns
            heapq.heappop(heap)  # replaced by an earlier entry, which has fired
        return None
