"""One execution of a workflow by one process: step after step, each with its checkpoint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from simulator.clock import Clock
from simulator.models.database import TERMINAL, Database, Row
from simulator.models.manner import Manner
from simulator.models.sdk import Sdk


class World(Protocol):
    @property
    def clock(self) -> Clock: ...
    @property
    def database(self) -> Database: ...


class Worker(Protocol):
    """The process that runs it."""

    id: str
    sdk: Sdk
    manner: Manner
    runs: dict[str, int]

    @property
    def world(self) -> World: ...
    def at(self, delay_ns: int, function: Any, *args: Any) -> None: ...
    def run(self, function: Any, *args: Any) -> None: ...
    def kill(self) -> None: ...
    def claimed(self, row: Row) -> None: ...


class Run:
    """Skips what has a checkpoint; stops where another execution won a checkpoint first."""

    def __init__(self, worker: Worker, row: Row, number: int) -> None:
        self._worker = worker
        self._row = row
        self._number = number

    def go_on(self) -> None:
        """The next step without a checkpoint, or the end."""
        self._with_database(self._next)

    def _with_database(self, function: Callable[..., None], *args: Any) -> None:
        """Once the database answers: until then the SDK tries again."""
        worker, database = self._worker, self._worker.world.database

        def when_up() -> None:
            worker.run(worker.at, database.delay_ns, ask)

        def ask() -> None:
            if database.up:
                function(*args)
            else:
                database.when_up(when_up)

        database.when_up(when_up)

    def _next(self) -> None:
        row, plan = self._row, self._row.plan
        for number, step in enumerate(plan.steps, start=1):
            if step in plan.sleeps:
                if self._sleeps_on(step):
                    return
            elif step not in row.checkpoints:
                self._begin(step, number)
                return
        self._worker.world.database.finish(row, "SUCCESS", unless_cancelled_only=self._worker.sdk.recovers_directly)

    def _sleeps_on(self, step: str) -> bool:
        """The wake-up time is checkpointed first: whoever adopts the workflow sleeps what is left."""
        row, now_ns = self._row, self._worker.world.clock.now_ns
        if step not in row.checkpoints:
            self._worker.world.database.checkpoint(row, step, self._worker.id, now_ns + row.plan.sleep_ns)
        left_ns = row.checkpoints[step] - now_ns
        if left_ns > 0:
            self._worker.at(left_ns, self.go_on)
        return left_ns > 0

    def _begin(self, step: str, number: int) -> None:
        worker, row = self._worker, self._row
        if worker.manner.dies_at_step == (number, "begin"):
            worker.manner.dies_at_step = None
            worker.kill()
            return
        if row.status in TERMINAL:
            return
        if step in row.plan.children:
            self._child(step)
            return
        entry = worker.world.database.executed(row, self._number, step, worker.id)
        worker.at(row.plan.step_ns, self._worked, step, number, entry)

    def _worked(self, step: str, number: int, entry: dict[str, Any]) -> None:
        self._worker.world.database.ended(entry)
        self._with_database(self._checkpoint, step, number)

    def _checkpoint(self, step: str, number: int) -> None:
        worker = self._worker
        if not worker.world.database.checkpoint(self._row, step, worker.id):
            return  # another execution has it: this one awaits that one's result
        if worker.manner.dies_at_step == (number, "end"):
            worker.manner.dies_at_step = None
            worker.kill()
            return
        self._next()

    def _child(self, step: str) -> None:
        """Start it once, whoever comes first, and await its end."""
        worker, database = self._worker, self._worker.world.database
        child_id = f"{self._row.id}-{step}"
        child = database.rows.get(child_id)
        if child is None:
            child = Row(child_id, self._row.app, self._row.version, self._row.language, self._row.plan.child)
            database.expect(child_id, child.plan)
            database.insert(child, "PENDING", worker.id)
            worker.claimed(child)
        database.when_ended(child, lambda: worker.run(self._with_database, self._child_ended, step))

    def _child_ended(self, step: str) -> None:
        if self._worker.world.database.checkpoint(self._row, step, self._worker.id):
            self._next()
