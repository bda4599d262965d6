"""An executor is stopped while it waits for messages; a peer recovers, is told, and ends the work. Then it wakes.

Its own wait runs out of time, for the messages are gone: what it makes of that must not touch an end that is recorded.
"""

from __future__ import annotations

import asyncio

from chaos.findings.experiment import Finding, Trial, experiment
from chaos.findings.sightings import by_judge, runs_on
from chaos.findings.zombies import TAKEN_S, taken_for_dead
from chaos.workload import Job
from evidence.sdk_faults import KNOWN
from sdk_matrix.contract import Recv, SendMessage, Start, Step

_WORKFLOWS = 6
_PATIENCE_S = 12.0  # of the workflow's own wait: grace, recovery and message come within it
_ENDED_S = 20.0
_WAITING_S = 1.0  # until the step's checkpoint is committed and the wait begun


@experiment(
    "late-zombie",
    about="SIGSTOP in a wait for a message, recovery and end by a peer, SIGCONT when all is over",
    languages=("python", "typescript", "go", "java"),
    findings=(
        Finding("late-copy-writes", KNOWN["late-copy-writes"], ("OUT-2", "OUT-5"), by_judge("late-copy-writes")),
        Finding("runs-on", "a falsely dead executor carried out further steps of work that a peer had taken over",
                ("OUT-3", "REC-25"), runs_on),
    ),
    abreast=4,
)  # fmt: skip
async def late_zombie(trial: Trial) -> None:
    course = trial.course
    fleet = await course.fleet(trial.worker, "e1", "e2")
    names = [f"w-{number}" for number in range(1, _WORKFLOWS + 1)]
    await fleet.start("e1", [_job(name) for name in names])
    await course.until_in_hand(fleet, "e1", least=_WORKFLOWS)
    label = fleet.lives["e1"].label

    async def all_began() -> bool:
        return await fleet.store.reached(label, "step-1", "end") >= _WORKFLOWS

    await fleet.until_true(all_began, TAKEN_S)
    await asyncio.sleep(_WAITING_S)  # no evidence shows a wait; who is stopped in a transaction keeps its row from e2
    async with taken_for_dead(course, fleet, _WORKFLOWS, in_step=False):
        for name in names:
            await fleet.lives["e2"].do(SendMessage(to=name, topic="news", message=f"for {name}"))
        await course.until_ended(fleet, _ENDED_S)
    await asyncio.sleep(_PATIENCE_S)  # the stimulus: what it still waits for never comes
    await course.collect()


def _job(workflow: str) -> Job:
    wait = Recv(topic="news", timeout_s=_PATIENCE_S, expects=f"for {workflow}")
    return Job("receiving", Start(workflow=workflow, instructions=(Step("step-1", 0.1), wait, Step("step-2", 0.1))))
