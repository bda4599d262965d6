"""The system database and the evidence of one fleet, whatever kind of database they are in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from chaos.workload import Job
from evidence.cases import Case, Change, Checkpoint, Execution, Promise
from sdk_matrix.contract import Step, expected_outcome, steps_of, workflows_of

__all__ = ["Row", "Store", "promises", "together"]

Row = Mapping[str, object]


class Store(Protocol):
    """Belongs to one fleet. `open` before its first worker, `watch` when that worker's migrations are done."""

    name: str  # "sqlite", "postgresql"
    database: str  # name of the system database

    async def open(self) -> None: ...

    async def watch(self) -> None:
        """Install the triggers, before any workflow starts."""
        ...

    def system_url(self, port: int | None = None) -> str:
        """For a worker. ``port``: of a proxy in between."""
        ...

    def evidence_url(self) -> str: ...

    async def begun(self, executor: str) -> Mapping[str, int]:
        """Workflow -> how many step executions the process with this label has begun."""
        ...

    async def reached(self, executor: str, step: str, phase: str) -> int:
        """How often the process has written this phase ("begin", "end") of a step of this name."""
        ...

    async def in_hand(self, executor: str) -> int:
        """How many workflows are PENDING under this executor id."""
        ...

    async def statuses(self) -> Mapping[str, str]:
        """Workflow -> its status now."""
        ...

    async def counts(self) -> Mapping[str, int]:
        """Status -> how many workflows have it. Raises `DatabaseGone`."""
        ...

    async def cases(self, app: str, promised: Mapping[str, Promise]) -> Sequence[Case]:
        """Everything about every workflow that was seen or promised."""
        ...

    async def close(self) -> None: ...


def promises(started: Iterable[Job]) -> dict[str, Promise]:
    """What each started workflow and child must come to."""
    found: dict[str, Promise] = {}
    for job in started:
        for workflow, instructions in workflows_of(job.start):
            own = workflow == job.start.workflow
            outcome = expected_outcome(instructions, cancelled="cancel" in job.asked and own)
            found[workflow] = Promise(
                kind=job.kind,
                outcome=outcome.status,
                output=None if outcome.output is None else json.dumps(outcome.output),
                steps=steps_of(instructions) if outcome.status == "SUCCESS" else (),
                parent="" if own else job.start.workflow,
                error=outcome.error,
                retries=any(isinstance(each, Step) and each.fails_times for each in instructions),
                asked=job.asked if own else (),
            )
    return found


def together(
    app: str, promised: Mapping[str, Promise], changes: Mapping[str, Sequence[Change]],
    checkpoints: Mapping[str, Sequence[Checkpoint]], executions: Mapping[str, Sequence[Execution]],
) -> list[Case]:  # fmt: skip
    """The cases of one fleet, by workflow."""
    return [
        Case(
            workflow=workflow,
            app=app,
            promise=promised.get(workflow),
            changes=tuple(changes.get(workflow, ())),
            checkpoints=tuple(checkpoints.get(workflow, ())),
            executions=tuple(executions.get(workflow, ())),
        )
        for workflow in sorted({*promised, *changes})
    ]
