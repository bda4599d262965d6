"""The database restarts under workflows of many short steps, so that statements are on their way when it goes.

The workflows must go on when it is back.
"""

from __future__ import annotations

from chaos.course import long_job
from chaos.findings.experiment import Finding, Trial, experiment
from chaos.findings.sightings import by_judge
from evidence.sdk_faults import KNOWN

_WORKFLOWS = 8
_STEPS = 40
_WITHIN_S = 60.0  # until SDKs work again (measured: up to 24 s), and their work


@experiment(
    "outage",
    about="the database restarts under workflows of many short steps",
    languages=("python", "typescript", "go", "java"),
    findings=(
        Finding("outage-ends-work", KNOWN["outage-ends-work"], ("OUT-2",), by_judge("outage-ends-work")),
    ),
)  # fmt: skip
async def outage(trial: Trial) -> None:
    course = trial.course
    fleet = await course.fleet(trial.worker, "e1")
    jobs = [long_job(f"w-{number}", *_durations(trial)) for number in range(1, _WORKFLOWS + 1)]
    await fleet.start("e1", jobs)
    await course.until_in_hand(fleet, "e1")
    await course.strike("db-restart", "database", down_s=1.0)
    await course.until_ended(fleet, _WITHIN_S)
    await course.collect()


def _durations(trial: Trial) -> tuple[float, ...]:
    return tuple(round(trial.source.uniform(0.01, 0.06), 3) for _ in range(_STEPS))
