"""The database restarts while a peer adopts: its acknowledgement may cover less than it says.

A relay that deletes the record on the word of ``success: true`` alone loses what was left behind.
"""

from __future__ import annotations

from chaos.course import Course, long_job
from chaos.real import RealWorld
from scenarios.catalogue import scenario

_WORKFLOWS = 40


@scenario(
    "REC-21/ack-without-effect",
    clauses=("REC-21", "OUT-1", "OUT-2"),
    title="The database restarts during the recovery",
    faults=(1,),
    worlds=("chaos",),
    disturbs=True,
    documented_s=400,
)
async def ack_without_effect(world: RealWorld) -> None:
    world.expect("REC-21", "cases_end")
    world.expect("OUT-1", "cases_end")
    world.expect("OUT-2", "cases_end_once")
    course = Course(world)
    fleet = await course.fleet(None, "e1", "e2")
    await fleet.start("e1", [long_job(f"left-{number}", 1.0, 1.0, 1.0) for number in range(1, _WORKFLOWS + 1)])
    await course.until_in_hand(fleet, "e1", least=_WORKFLOWS // 2)
    cut = world.spawn(course.strike("db-cut-during-recovery", "database"))
    await course.strike("kill", "e1")
    await course.until_recovery_of(fleet, fleet.lives["e1"].executor)
    await cut
    await course.finish()
