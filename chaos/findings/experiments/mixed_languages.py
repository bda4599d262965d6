"""One version string for two languages on one system database: the survivor takes the dead one's rows.

The SDK that is given is the survivor; the dead one is of Python, or for Python of TypeScript. A relay that minds
REC-23 never asks it, so that the tap asks in the place of one that does not.
"""

from __future__ import annotations

from chaos.course import long_job
from chaos.findings.experiment import Finding, Trial, experiment
from chaos.findings.sightings import by_judge
from evidence.sdk_faults import KNOWN
from sdk_matrix.languages import worker

_WORKFLOWS = 6
_WITHIN_S = 20.0


@experiment(
    "mixed-languages",
    about="an executor of the other language dies on the same system database and with the same version string",
    languages=("python", "typescript"),
    findings=(
        Finding("other-language", KNOWN["other-language"], ("REC-23", "OUT-1", "OUT-2"), by_judge("other-language")),
    ),
    abreast=4,
)  # fmt: skip
async def mixed_languages(trial: Trial) -> None:
    course = trial.course
    other = worker("python" if trial.worker.language == "typescript" else "typescript")
    other.build()
    first = await course.fleet(other, "dead")
    second = await course.fleet(trial.worker, "survivor", beside=first)
    await first.start("dead", [long_job(f"w-{number}", 1.0, 1.0, 1.0) for number in range(1, _WORKFLOWS + 1)])
    await course.until_in_hand(first, "dead", least=_WORKFLOWS)
    dead = first.lives["dead"].executor
    await course.strike("kill", "dead")
    asked = {"type": "recovery", "request_id": "mixed-languages", "executor_ids": [dead]}
    second.tap.add("survivor", asked, lambda answer: None)
    await course.until_ended(first, _WITHIN_S)
    await course.collect()
