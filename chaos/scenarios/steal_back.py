"""A zombie wins one checkpoint, takes its row back, and dies before it reconnects: nobody knows that id any more.

Measured: without a relay that remembers recovered ids the work is stranded for good, in 8 of 8 runs. The peer has the
long step in hand when the zombie wakes; the zombie's own sleep was over while it was stopped, so that it wins.
"""

from __future__ import annotations

from chaos.course import Course, long_job
from chaos.real import RealWorld
from scenarios.catalogue import scenario

_LONG_S = 20.0
_WORKFLOWS = 10


@scenario(
    "REC-25/steal-back",
    clauses=("REC-25", "OUT-2"),
    title="A zombie takes its rows back by a checkpoint, then dies unseen",
    faults=(),
    worlds=("chaos",),
    disturbs=True,
    documented_s=400,
)
async def steal_back(world: RealWorld) -> None:
    world.expect("REC-25", "cases_end")
    world.expect("OUT-2", "cases_end_once")
    course = Course(world)
    fleet = await course.fleet(None, "e1", "e2")
    victim = fleet.lives["e1"]
    jobs = [long_job(f"steal-{number}", 0.1, _LONG_S, 0.1) for number in range(1, _WORKFLOWS + 1)]
    await fleet.start("e1", jobs)
    await course.until_in_hand(fleet, "e1", least=_WORKFLOWS)
    cut = world.spawn(course.strike("freeze", "e1"))  # the way to the relay alone: it can't come back and tell
    victim.pause()
    course.site.strike("pause", "e1")
    await course.until_recovery_of(fleet, victim.executor)
    await course.until_in_hand(fleet, "e2", least=_WORKFLOWS)
    victim.resume()

    async def stolen() -> bool:
        return await fleet.store.in_hand(victim.executor) > 0

    taken = await fleet.until_true(stolen, 10)
    fleet.kill("e1", cause="steal-back")
    world.note("stolen", taken=taken)
    await course.finish()
    await cut
