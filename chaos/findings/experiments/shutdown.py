"""A shutdown in good order under workflows that start one child after the other: their rows must stay PENDING."""

from __future__ import annotations

from chaos.findings.experiment import Finding, Trial, experiment
from chaos.findings.sightings import by_judge
from chaos.workload import Job
from evidence.sdk_faults import KNOWN
from sdk_matrix.contract import Child, Instruction, Start, Step

_WORKFLOWS = 10
_UNDER_WAY = 40  # steps begun: some workflow is about to start a child at any time from then on
_WORK_S = 20.0
_CHILDREN = 12


@experiment(
    "shutdown",
    about="a shutdown in good order under workflows that start one child after the other",
    languages=("python", "typescript", "go", "java"),
    findings=(
        Finding("shutdown-writes-end", KNOWN["shutdown-writes-end"], ("OUT-2",), by_judge("shutdown-writes-end")),
    ),
    stores=("sqlite", "postgresql"),
)  # fmt: skip
async def shutdown(trial: Trial) -> None:
    course = trial.course
    fleet = await course.fleet(trial.worker, "e1")
    await fleet.start("e1", [_job(trial, f"w-{number}") for number in range(1, _WORKFLOWS + 1)])
    label = fleet.lives["e1"].label

    async def under_way() -> bool:
        return sum((await fleet.store.begun(label)).values()) >= _UNDER_WAY

    await fleet.until_true(under_way, _WORK_S)
    await course.strike("stop", "e1")
    await course.collect()


def _job(trial: Trial, workflow: str) -> Job:
    instructions: list[Instruction] = []
    for number in range(1, _CHILDREN + 1):
        instructions.append(Step(f"step-{number}", round(trial.source.uniform(0.05, 0.3), 3)))
        instructions.append(Child(f"{workflow}-child-{number}", (Step("step-1", 0.05),)))
    return Job("child", Start(workflow=workflow, instructions=tuple(instructions)))
