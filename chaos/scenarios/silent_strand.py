"""Only a peer of another version is there: it would answer true and recover nothing. The relay must wait.

A relay that asks it and believes the answer strands the work in silence.
"""

from __future__ import annotations

import asyncio

from chaos.course import Course
from chaos.real import RealWorld
from scenarios.catalogue import scenario


@scenario(
    "REC-13/silent-strand",
    clauses=("REC-13", "REC-15", "OUT-1", "OUT-2"),
    title="SIGKILL with only a peer of another version; one of the right version joins later",
    faults=(6,),
    worlds=("chaos",),
    disturbs=True,
)
async def silent_strand(world: RealWorld) -> None:
    world.expect("OUT-1", "cases_end")
    world.expect("OUT-2", "cases_end_once")
    course = Course(world)
    fleet = await course.fleet(None, "e1", "e2")
    await fleet.stop("e2")
    await fleet.relaunch("e2", version="v2")
    await course.until_connected(fleet, "e2")
    await course.work(fleet, "e1")
    other, dead = fleet.lives["e2"].executor, fleet.lives["e1"].executor
    fleet.kill("e1")
    killed = world.last("fault", kind="kill", executor=dead)
    await asyncio.sleep(3 * world.timing.grace_s)  # the stimulus: time in which nothing may be asked
    await fleet.relaunch("e1")
    await course.until_connected(fleet, "e1")
    joined = world.last("note", text="launched")
    world.expect(
        "REC-13", "no_frame", executor=other, type="recovery", since=killed, until=joined,
        match={"executor_ids": [dead]},
    )  # fmt: skip
    world.expect(
        "REC-15", "frame", executor=fleet.lives["e1"].executor, type="recovery", after=joined,
        latest="handshake + 2*scan + backoff_cap + 2*slack", match={"executor_ids": [dead]},
    )  # fmt: skip
    await course.finish()
