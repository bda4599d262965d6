"""The only executor of an application dies, while another application of the organisation has healthy ones.

Nobody of the other application may be asked: it would answer true, recover nothing, and the work would be lost.
"""

from __future__ import annotations

import asyncio

from chaos.course import Course
from chaos.real import RealWorld
from scenarios.catalogue import scenario


@scenario(
    "REC-3/lonely-death",
    clauses=("REC-3", "REC-11", "OUT-1", "OUT-2"),
    title="SIGKILL of an application's only executor beside another application of the same version",
    faults=(28, 70),
    worlds=("chaos",),
    disturbs=True,
    documented_s=400,
)
async def lonely_death(world: RealWorld) -> None:
    world.expect("REC-3", "right_recoverer")
    world.expect("OUT-1", "cases_end")
    world.expect("OUT-2", "cases_end_once")
    course = Course(world)
    lonely = await course.fleet(None, "a1")
    neighbour = await course.fleet(None, "b1", "b2")
    await course.work(neighbour, "b1", orders=4)
    await course.work(lonely, "a1")
    dead = lonely.lives["a1"].executor
    lonely.kill("a1")
    killed = world.last("fault", kind="kill", executor=dead)
    await asyncio.sleep(3 * world.timing.grace_s)  # the stimulus: time in which nobody may be asked
    await lonely.relaunch("a1")
    await course.until_connected(lonely, "a1")
    joined = world.last("note", text="launched")
    world.expect(
        "REC-3", "no_frame", app=course.apps[1].name, type="recovery", since=killed, until=None,
        match={"executor_ids": [dead]},
    )  # fmt: skip
    world.expect(
        "REC-11", "frame", executor=lonely.lives["a1"].executor, type="recovery", after=joined,
        latest="handshake + 2*scan + backoff_cap + 2*slack", match={"executor_ids": [dead]},
    )  # fmt: skip
    await course.finish()
