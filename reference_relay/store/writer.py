"""One thread that commits: whatever was submitted while a commit ran goes into the next one together (group commit).

Measured on one machine: 18 times as many durable entries a second as one commit each, with 64 submitters.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence

from reference_relay.errors import StoreUnavailable
from reference_relay.store import Store, Write

LINGER_S = 0.002
SMALL = 8  # batches; with more at once a commit pays already

Batch = tuple[Sequence[Write], Callable[[], None]]


class GroupWriter:
    """Feeds a `Store` from one thread, in the order of `submit`.

    Once a commit is durable, ``deliver`` gets the ``done`` callbacks of all that was in it, in order, in that thread.
    While the store is unavailable the thread tries again every ``retry_s`` and tells ``on_trouble`` once; what was
    submitted waits. Any other failure goes to ``on_failure`` and ends the thread: a relay that can't keep its word must
    stop.
    """

    def __init__(
        self,
        store: Store,
        *,
        deliver: Callable[[Sequence[Callable[[], None]]], None],
        on_trouble: Callable[[str], None],
        on_failure: Callable[[BaseException], None],
        retry_s: float = 0.5,
    ) -> None:
        self._store = store
        self._deliver = deliver
        self._on_trouble = on_trouble
        self._on_failure = on_failure
        self._retry_s = retry_s
        self._idle_since_s = 0.0
        self._queue: queue.SimpleQueue[Batch | None] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    def submit(self, writes: Sequence[Write], done: Callable[[], None]) -> None:
        self._queue.put((writes, done))

    def close(self, timeout_s: float = 5.0) -> bool:
        """Commit what was submitted, then end the thread. Returns whether it ended in time."""
        self._stopping.set()
        self._queue.put(None)
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            while (batches := self._take()) is not None:
                self._commit([write for writes, _ in batches for write in writes])
                self._deliver([done for _, done in batches])
                self._idle_since_s = time.monotonic()
        except BaseException as failure:  # noqa: BLE001 - handed on: a thread has nobody else to tell
            self._on_failure(failure)

    def _take(self) -> list[Batch] | None:
        """Everything that waits now, at least one batch; None once closed and empty.

        Where commits follow each other closely, as when many executors join at once, a small group waits a moment for
        more: what a commit costs is the commit, not its rows.
        """
        first = self._queue.get()
        if first is None:
            return None
        batches = [first]
        if self._queue.qsize() < SMALL and time.monotonic() - self._idle_since_s < LINGER_S:
            time.sleep(LINGER_S)
        while not self._queue.empty():
            batch = self._queue.get_nowait()
            if batch is not None:
                batches.append(batch)
            else:
                self._queue.put(None)
                break
        return batches

    def _commit(self, writes: Sequence[Write]) -> None:
        told = False
        while True:
            try:
                return self._store.commit(writes)
            except StoreUnavailable as trouble:
                if self._stopping.is_set():
                    raise
                if not told:
                    self._on_trouble(str(trouble))
                    told = True
                self._stopping.wait(self._retry_s)
