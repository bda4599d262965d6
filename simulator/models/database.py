"""The executors' system database: rows, checkpoints, the queue, and what a trigger and a ledger would have kept.

Rows and statuses behave as measured with dbos 2.31.1: a recovery re-enqueues PENDING rows of the named executor and the
receiver's own version only; whoever wins a checkpoint owns the row; a terminal write needs a PENDING row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import msgspec

from reference_relay.core.records import AppKey
from simulator.clock import Clock, ns
from simulator.models.sdk import POLL_S
from simulator.models.work import Plan

_POLL_NS = ns(POLL_S)
TERMINAL = frozenset({"SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"})
MOST_ATTEMPTS = 101  # the default limit of 100, and the first start


class Row(msgspec.Struct, eq=False):
    """One row of workflow_status."""

    id: str
    app: AppKey
    version: str
    language: str
    plan: Plan
    status: str = ""
    executor: str = ""
    attempts: int = 0
    checkpoints: dict[str, int] = msgspec.field(default_factory=dict)  # step: seq, or the wake-up time of a sleep
    offered: bool = False


class Worker(Protocol):
    """A process that may dequeue."""

    id: str
    app: AppKey
    version: str
    language: str
    poll_phase_ns: int

    @property
    def working(self) -> bool: ...

    def claimed(self, row: Row) -> None: ...


class Database:
    """One database for every application of the run."""

    def __init__(self, clock: Clock) -> None:
        self.up = True
        self.delay_ns = 2_000_000  # of each request's statements together
        self.rows: dict[str, Row] = {}
        self.expected: list[dict[str, Any]] = []
        self.trigger: list[dict[str, Any]] = []
        self.ledger: list[dict[str, Any]] = []
        self.workers: list[Worker] = []
        self.recoveries = 0  # rows that a recovery moved
        self.seq = 0
        self._clock = clock
        self._queue: list[Row] = []
        self._back: list[Callable[[], object]] = []
        self._awaited: dict[str, list[Callable[[], object]]] = {}

    # ---- the server

    def go_down(self) -> None:
        self.up = False

    def come_back(self) -> None:
        self.up = True
        waiting, self._back = self._back, []
        for happen in waiting:
            self._clock.call(0, happen)
        self.look()

    def when_up(self, function: Callable[[], object]) -> None:
        """Now, or when it is back: clients try again without end."""
        if self.up:
            function()
        else:
            self._back.append(function)

    # ---- statements

    def expect(self, row_id: str, plan: Plan) -> None:
        """The harness has started a workflow, or one of its workflows has started a child."""
        steps = [step for step in plan.steps if step not in plan.sleeps and step not in plan.children]
        self.expected.append({"workflow": row_id, "outcome": "SUCCESS", "output": row_id, "steps": steps})

    def insert(self, row: Row, status: str, executor: str) -> None:
        self.rows[row.id] = row
        row.attempts = 0 if status == "ENQUEUED" else 1
        self._change(row, status, executor, kind="insert")
        if status == "ENQUEUED":
            self._enqueue(row)

    def recover(self, app: AppKey, ids: Sequence[str], version: str) -> list[Row]:
        """PENDING rows of these executors and of the receiver's own version."""
        found = [
            row for row in self.rows.values()
            if row.status == "PENDING" and row.app == app and row.version == version and row.executor in ids
        ]  # fmt: skip
        self.recoveries += len(found)
        return found

    def enqueue_again(self, row: Row) -> None:
        self._change(row, "ENQUEUED", row.executor)
        self._enqueue(row)

    def take_directly(self, row: Row, executor: str) -> None:
        """Without an atomic claim, as Java recovers."""
        row.attempts += 1
        self._change(row, "PENDING", executor)

    def checkpoint(self, row: Row, step: str, executor: str, value: int = 0) -> bool:
        """Whether it was the first for this step; the winner owns the row."""
        if step in row.checkpoints:
            return False
        self.seq += 1
        row.checkpoints[step] = value or self.seq
        self.trigger.append({"seq": self.seq, "kind": "checkpoint", "workflow": row.id, "step": step})
        if row.executor != executor:
            self._change(row, row.status, executor)
        return True

    def finish(self, row: Row, status: str, *, unless_cancelled_only: bool) -> None:
        """The terminal write; refused unless the row is PENDING (Java: unless it is CANCELLED)."""
        if row.status != "PENDING" and not (unless_cancelled_only and row.status != "CANCELLED"):
            return
        self._change(row, status, row.executor, output=f'"{row.id}"')
        for happen in self._awaited.pop(row.id, ()):
            self._clock.call(0, happen)

    def cancel(self, row_id: str) -> bool:
        row = self.rows.get(row_id)
        if row is None or row.status in ("SUCCESS", "ERROR"):
            return row is not None
        self._change(row, "CANCELLED", row.executor)
        return True

    def exist_pending(self, app: AppKey, executor: str, version: str) -> bool:
        return any(
            row.status == "PENDING" and row.executor == executor and row.version == version and row.app == app
            for row in self.rows.values()
        )

    def owners(self, app: AppKey) -> Iterator[tuple[str, str, int]]:
        """Who owns PENDING rows: executor, version, how many."""
        counts: dict[tuple[str, str], int] = {}
        for row in self.rows.values():
            if row.status == "PENDING" and row.app == app:
                counts[row.executor, row.version] = counts.get((row.executor, row.version), 0) + 1
        for (executor, version), count in counts.items():
            yield executor, version, count

    def when_ended(self, row: Row, function: Callable[[], object]) -> None:
        if row.status in TERMINAL:
            function()
        else:
            self._awaited.setdefault(row.id, []).append(function)

    def executed(self, row: Row, run: int, step: str, executor: str) -> dict[str, Any]:
        """A row of the step ledger; its end is written into it."""
        self.seq += 1
        entry = {"seq": self.seq, "workflow": row.id, "run": run, "step": step, "executor_id": executor}
        self.ledger.append(entry)
        return entry

    def ended(self, entry: dict[str, Any]) -> None:
        self.seq += 1
        entry["end_seq"] = self.seq

    @property
    def unfinished(self) -> list[Row]:
        return [row for row in self.rows.values() if row.status not in TERMINAL]

    # ---- the queue

    def look(self) -> None:
        """A worker has come, or the database is back: what is enqueued is looked for again."""
        for row in self._queue:
            if not row.offered:
                self._offer(row)

    def _enqueue(self, row: Row) -> None:
        self._queue.append(row)
        self._offer(row)

    def _offer(self, row: Row) -> None:
        """Whoever polls next takes it."""
        now_ns = self._clock.now_ns
        first: tuple[int, Worker] | None = None
        for worker in self.workers:
            if worker.working and worker.version == row.version and worker.app == row.app:
                wait_ns = (worker.poll_phase_ns - now_ns) % _POLL_NS
                if first is None or wait_ns < first[0]:
                    first = (wait_ns, worker)
        row.offered = first is not None
        if first is not None:
            self._clock.call(first[0], self._poll, row, first[1])

    def _poll(self, row: Row, worker: Worker) -> None:
        row.offered = False
        if row.status != "ENQUEUED":
            if row in self._queue:
                self._queue.remove(row)
        elif not worker.working or not self.up:
            self._offer(row) if self.up else None
        else:
            self._queue.remove(row)
            row.attempts += 1
            if row.attempts > MOST_ATTEMPTS:
                self._change(row, "MAX_RECOVERY_ATTEMPTS_EXCEEDED", row.executor)
                return
            self._change(row, "PENDING", worker.id)
            worker.claimed(row)

    def _change(self, row: Row, status: str, executor: str, *, kind: str = "update", output: str = "") -> None:
        self.seq += 1
        change: dict[str, Any] = {
            "seq": self.seq, "kind": kind, "workflow": row.id, "new_status": status, "new_executor": executor,
            "attempts": row.attempts,
        }  # fmt: skip
        if kind == "update":
            change |= {"old_status": row.status, "old_executor": row.executor}
        if output:
            change["output"] = output
        row.status, row.executor = status, executor
        self.trigger.append(change)
