"""Every executor is replaced by one of a new version, one after the other, with work in hand.

The old version's work is ended by those that still have it. What the last of them leaves behind waits for one to come.
"""

from __future__ import annotations

from chaos.course import Course
from chaos.real import RealWorld
from scenarios.catalogue import scenario


@scenario(
    "REC-2/rolling-upgrade",
    clauses=("REC-2", "OUT-1", "OUT-3", "REC-1"),
    title="Three executors upgraded one after the other, and an old one that comes back for what is left",
    faults=(6, 74),
    worlds=("chaos",),
    disturbs=True,
    documented_s=400,
)
async def rolling_upgrade(world: RealWorld) -> None:
    world.expect("REC-2", "right_recoverer")
    world.expect("OUT-1", "cases_end")
    world.expect("OUT-3", "steps_once")
    world.expect("REC-1", "dead_are_recovered")
    course = Course(world)
    slots = ("e1", "e2", "e3")
    fleet = await course.fleet(None, *slots)
    for slot in slots:
        await course.work(fleet, slot, orders=5)
        await course.strike("upgrade", slot, version="v2", down_s=0.5)
        await course.until_connected(fleet, slot)
    await fleet.launch("e4")  # of the old version, as a roll-back or a drain pool would have it
    await course.until_connected(fleet, "e4")
    await course.finish()
