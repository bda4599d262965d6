"""An executor is stopped, declared dead and recovered from, then goes on: who carries out what is left?

A peer has the long step in hand when it wakes; its own has been going on by the clock, so that it ends first.
"""

from __future__ import annotations

from chaos.course import long_job
from chaos.findings.experiment import Finding, Trial, experiment
from chaos.findings.sightings import by_judge, runs_on, takes_back
from chaos.findings.zombies import TAKEN_S, taken_for_dead
from evidence.sdk_faults import KNOWN

_WORKFLOWS = 6
_LONG_S = 7.0  # longer than grace and recovery: both have it in hand together
_ENDED_S = 30.0


@experiment(
    "zombie",
    about="SIGSTOP, recovery by a peer, SIGCONT in the middle of a step that both carry out",
    languages=("python", "typescript", "go", "java"),
    findings=(
        Finding("runs-on", "a falsely dead executor carried out further steps of work that a peer had taken over",
                ("OUT-3", "REC-25"), runs_on),
        Finding("taken-back", "a falsely dead executor won a checkpoint and had the row of a peer's work again",
                ("REC-25",), takes_back),
        Finding("late-copy-writes", KNOWN["late-copy-writes"], ("OUT-2", "OUT-5"), by_judge("late-copy-writes")),
    ),
    abreast=4,
)  # fmt: skip
async def zombie(trial: Trial) -> None:
    course = trial.course
    fleet = await course.fleet(trial.worker, "e1", "e2")
    jobs = [
        long_job(f"w-{number}", 0.1, round(_LONG_S + trial.source.uniform(0.0, 1.0), 3), 0.5, 0.5)
        for number in range(1, _WORKFLOWS + 1)
    ]
    await fleet.start("e1", jobs)
    await course.until_in_hand(fleet, "e1", least=_WORKFLOWS)
    label = fleet.lives["e1"].label

    async def all_in_long_step() -> bool:
        return await fleet.store.reached(label, "step-2", "begin") >= _WORKFLOWS

    await fleet.until_true(all_in_long_step, TAKEN_S)
    async with taken_for_dead(course, fleet, _WORKFLOWS, in_step=True):
        pass  # it wakes as soon as the peer has it all in hand
    await course.until_ended(fleet, _ENDED_S)
    await course.collect()
