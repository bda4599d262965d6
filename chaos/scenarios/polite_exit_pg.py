"""A shutdown in good order with work in hand, in each language: all four close differently, all leave rows PENDING."""

from __future__ import annotations

from chaos.course import Course
from chaos.real import RealWorld
from scenarios.catalogue import scenario


@scenario(
    "LIV-4/polite-exit",
    clauses=("OUT-1", "OUT-3", "REC-1"),
    title="A shutdown in good order with work in hand",
    faults=(12, 14),
    worlds=("chaos",),
    disturbs=True,
    documented_s=400,
    variants=("python", "typescript", "go", "java"),
)
async def polite_exit_pg(world: RealWorld, language: str) -> None:
    world.expect("OUT-1", "cases_end")
    world.expect("OUT-3", "steps_once")
    world.expect("REC-1", "dead_are_recovered")
    course = Course(world)
    fleet = await course.fleet(course.worker(language), "e1", "e2")
    await course.work(fleet, "e1", orders=12)
    await course.strike("stop", "e1")
    await course.finish()
