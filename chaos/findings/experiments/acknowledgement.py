"""The database restarts while a peer recovers: does its ``success: true`` cover all rows of the dead executor?"""

from __future__ import annotations

from chaos.course import long_job
from chaos.findings.experiment import Finding, Trial, experiment
from chaos.findings.sightings import left_behind
from evidence.sdk_faults import KNOWN
from scenarios.errors import Prerequisite

_WORKFLOWS = 60
_ENDED_S = 60.0


@experiment(
    "acknowledgement",
    about="the database restarts at the moment at which a peer is asked to recover",
    languages=("python", "typescript", "go", "java"),
    findings=(
        Finding("ack-without-effect", KNOWN["ack-without-effect"], ("REC-21", "OUT-1"), left_behind),
    ),
)  # fmt: skip
async def acknowledgement(trial: Trial) -> None:
    course, world = trial.course, trial.course.world
    fleet = await course.fleet(trial.worker, "e1", "e2")
    await fleet.start("e1", [long_job(f"w-{number}", 1.0, 0.5) for number in range(1, _WORKFLOWS + 1)])
    await course.until_in_hand(fleet, "e1", least=_WORKFLOWS // 2)
    dead = fleet.lives["e1"].executor
    cut = world.spawn(course.strike("db-cut-during-recovery", "database", for_s=1.0))
    await course.strike("kill", "e1")
    if not await course.until_recovery_of(fleet, dead):
        raise Prerequisite("no recovery of the dead executor was asked")
    await cut
    await course.until_ended(fleet, _ENDED_S)
    await course.collect()
