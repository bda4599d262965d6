"""The first peer is slow beyond the deadline, the relay asks the next: both recover the same dead executor."""

from __future__ import annotations

from chaos.course import Course
from chaos.real import RealWorld
from chaos.tap import Passing
from scenarios.catalogue import scenario


@scenario(
    "REC-9/double-dispatch",
    clauses=("REC-9", "REC-10", "OUT-1", "OUT-2", "OUT-3"),
    title="A peer whose database is slow beyond the deadline, and a second one",
    faults=(2, 19),
    worlds=("chaos",),
    disturbs=True,
    documented_s=400,
)
async def double_dispatch(world: RealWorld) -> None:
    world.expect("OUT-1", "cases_end")
    world.expect("OUT-2", "cases_end_once")
    world.expect("OUT-3", "steps_once")
    course = Course(world)
    fleet = await course.fleet(None, "e1", "e2", "e3")
    await course.work(fleet, "e1")
    dead = fleet.lives["e1"].executor
    slowed: list[str] = []

    def look(passing: Passing) -> None:
        """From the first request on that peer's way to the database is frozen: it hears, and can't act."""
        if passing.by == "relay" and passing.message.get("type") == "recovery" and not slowed:
            slot = fleet.slot_of(passing.label)
            assert slot is not None, "only the living are asked"
            slowed.append(slot)
            fleet.freeze_database(slot)
            world.note("slow peer", slot=slot)

    fleet.tap.listeners.append(look)
    fleet.kill("e1")
    asked = await course.until_recovery_of(fleet, dead)
    if asked and slowed:
        first = world.last("frame", by="relay", op="text")
        other = next(slot for slot in ("e2", "e3") if slot != slowed[0])
        world.expect(
            "REC-9", "frame", executor=fleet.lives[other].executor, type="recovery", after=first,
            latest="recovery + backoff_cap + 2*scan + 2*slack", match={"executor_ids": [dead]},
        )  # fmt: skip
        timing = world.timing
        await course.until_ended(fleet, timing.recovery_deadline_s + timing.backoff_cap_s + 15.0)
    fleet.heal_database()
    await course.finish()
