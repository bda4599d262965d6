"""Workloads as data: what is started, and the one outcome that each workflow must have, drawn from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sdk_matrix.contract import Child, Instruction, Queue, Sleep, Start, Step, expected_output, steps_of, workflows_of

__all__ = ["KINDS", "QUEUE", "Job", "expectations", "jobs"]

KINDS = ("plain", "queued", "child", "sleeping")
QUEUE = Queue(name="proof-queue", worker_concurrency=1, polling_interval_s=0.25)
"""One at a time a worker: with a queued workflow for each worker, whichever is struck has queued work in hand."""

SLEEP_S = 4.0  # beyond the fast grace period: the recovered workflow must still sleep, or wake late, but wake


@dataclass(frozen=True, slots=True)
class Job:
    """One workflow that the harness starts (its children come with it)."""

    kind: str
    start: Start
    asked: tuple[str, ...] = ()  # "cancel", "resume": what else the harness asks for


def jobs(seed: int, *, each: int, prefix: str = "wf") -> tuple[Job, ...]:
    """``each`` workflows of every kind, interleaved. The same seed gives the same workload.

    A workflow has about 1.5 s of steps, so that a strike in its first half leaves work to be recovered.
    """
    source = random.Random(f"workload {seed}")
    return tuple(
        Job(kind, _start(kind, f"{prefix}-{kind}-{number}", source)) for number in range(each) for kind in KINDS
    )


def expectations(started: Sequence[Job]) -> Iterator[dict[str, Any]]:
    """Rows of the history's "expected" ledger: each workflow and child with its outcome, result and steps."""
    for job in started:
        for workflow, instructions in workflows_of(job.start):
            row = {
                "workflow": workflow,
                "kind": job.kind,
                "outcome": "SUCCESS",
                "output": expected_output(instructions),
                "steps": list(steps_of(instructions)),
            }
            yield row if workflow == job.start.workflow else row | {"parent": job.start.workflow}


def _start(kind: str, workflow: str, source: random.Random) -> Start:
    def steps(count: int, first: int = 1) -> tuple[Instruction, ...]:
        return tuple(
            Step(f"step-{number}", round(source.uniform(0.2, 0.4), 3), source.choice((0, 16, 4096)))
            for number in range(first, first + count)
        )

    match kind:
        case "plain" | "queued":
            body = steps(5)
        case "child":
            body = (Child(f"{workflow}-child", steps(4)), *steps(2))
        case "sleeping":
            body = (*steps(2), Sleep(SLEEP_S), *steps(1, first=3))
        case _:
            raise AssertionError(f"unknown kind {kind!r}")
    return Start(workflow=workflow, instructions=body, queue=QUEUE.name if kind == "queued" else None)
