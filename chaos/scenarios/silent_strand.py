"""Only a peer of another version is there: it would answer true and recover nothing. The relay must wait.

A relay that asks it and believes the answer strands the work in silence. While it waits the relay restarts: one that
forgets the dead then has nobody to recover when the right peer comes.
"""

from __future__ import annotations

import asyncio

from chaos.course import Course
from chaos.real import RealWorld
from scenarios.catalogue import scenario


@scenario(
    "REC-13/silent-strand",
    clauses=("REC-13", "REC-15", "REC-19", "OUT-1", "OUT-2"),
    title="SIGKILL with only a peer of another version; the relay restarts; one of the right version joins",
    needs=("restart",),
    faults=(6,),
    worlds=("chaos",),
    disturbs=True,
    documented_s=400,
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
    await course.strike("relay-kill", "relay", down_s=1.0)
    await course.until_connected(fleet, "e2")
    await fleet.relaunch("e1")
    await course.until_connected(fleet, "e1")
    joined = world.last("note", text="launched")
    world.expect(
        "REC-13", "no_frame", executor=other, type="recovery", since=killed, until=joined,
        match={"executor_ids": [dead]},
    )  # fmt: skip
    for clause in ("REC-15", "REC-19"):
        world.expect(
            clause, "frame", executor=fleet.lives["e1"].executor, type="recovery", after=joined,
            latest="handshake + 2*scan + backoff_cap + 2*slack", match={"executor_ids": [dead]},
        )  # fmt: skip
    await course.finish()
