"""The relay is away beyond the grace period; all executors come back at once, but for one that died meanwhile."""

from __future__ import annotations

from chaos.course import Course
from chaos.real import RealWorld
from scenarios.catalogue import scenario


@scenario(
    "LIV-15/relay-outage-herd",
    clauses=("LIV-15", "REC-26", "OUT-1", "OUT-2"),
    title="Six executors, a relay that is away for twice the grace, one executor killed meanwhile",
    faults=(28, 32),
    worlds=("chaos",),
    disturbs=True,
    documented_s=400,
    needs=("restart",),
)
async def relay_outage_herd(world: RealWorld) -> None:
    world.expect("OUT-1", "cases_end")
    world.expect("OUT-2", "cases_end_once")
    course = Course(world)
    slots = [f"e{number}" for number in range(1, 7)]
    fleet = await course.fleet(None, *slots)
    for slot in slots[:3]:
        await course.work(fleet, slot, orders=4)
    began = world.note("outage")
    outage = world.spawn(course.strike("relay-away", "relay", down_s=2 * world.timing.grace_s))
    await course.until_in_hand(fleet, "e1")
    fleet.kill("e1")
    await outage
    living = slots[1:]
    await course.until_connected(fleet, *living)
    await course.finish()
    for slot in living:
        world.expect(
            "LIV-15", "count", app=course.apps[0].name, type="recovery", since=began, until=None, at_most=0,
            match={"executor_ids": [fleet.lives[slot].executor]}, text=f"{slot}, which came back, is not recovered",
        )  # fmt: skip
