"""A paused executor is declared dead, its work is ended by a peer, and then it wakes: it must change nothing."""

from __future__ import annotations

from chaos.course import Course
from chaos.real import RealWorld
from scenarios.catalogue import scenario


@scenario(
    "OUT-5/zombie",
    clauses=("OUT-5", "OUT-1", "OUT-2", "OUT-3", "REC-1"),
    title="SIGSTOP until others have ended the work, then SIGCONT",
    faults=(17,),
    worlds=("chaos",),
    disturbs=True,
    documented_s=400,
)
async def zombie(world: RealWorld) -> None:
    world.expect("OUT-5", "zombies_change_nothing")
    world.expect("OUT-1", "cases_end")
    world.expect("OUT-2", "cases_end_once")
    world.expect("OUT-3", "steps_once")
    world.expect("REC-1", "recovery_asked", kind="pause")
    course = Course(world)
    fleet = await course.fleet(None, "e1", "e2")
    await course.work(fleet, "e1", orders=12)
    paused = world.spawn(course.strike("pause", "e1"))
    await course.until_recovery_of(fleet, fleet.lives["e1"].executor)
    await course.until_ended(fleet, 60)
    await paused  # it ends when the executor was declared dead, whatever became of its work
    await course.until_connected(fleet, "e1")
    await course.finish()
