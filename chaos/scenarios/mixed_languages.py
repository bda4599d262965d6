"""Two languages on one system database, each with a version of its own: nobody may adopt the other's rows.

With one version for both, any poller takes any row, and destroys it (measured: 46 of 60 Python rows ended in ERROR).
The version is what keeps them apart, and a relay must not ask across it.
"""

from __future__ import annotations

from chaos.course import Course
from chaos.real import RealWorld
from scenarios.catalogue import scenario


@scenario(
    "REC-23/mixed-languages",
    clauses=("REC-23", "REC-2", "OUT-1", "OUT-2"),
    title="Python and TypeScript on one system database, one executor of each killed",
    faults=(),
    worlds=("chaos",),
    disturbs=True,
    documented_s=400,
)
async def mixed_languages(world: RealWorld) -> None:
    world.expect("REC-23", "right_recoverer")
    world.expect("REC-2", "right_recoverer")
    world.expect("OUT-1", "cases_end")
    world.expect("OUT-2", "cases_end_once")
    course = Course(world)
    python, typescript = course.worker("python"), course.worker("typescript")
    first = await course.fleet(python, "py1", "py2", version="v-python")
    second = await course.fleet(typescript, "ts1", "ts2", version="v-typescript", beside=first)
    await course.work(first, "py1")
    await course.work(second, "ts1")
    await course.strike("kill", "py1")
    await course.strike("kill", "ts1")
    await course.finish()
