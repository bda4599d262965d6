"""REC-22, REC-26: an executor that returns while, or after, it is recovered."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.liveness.moments import (
    HEALTHY_BY,
    back,
    gone,
    healthy,
    leave,
    naming,
    patience,
    read_audit,
    seconds,
)
from scenarios.catalogue.recovery.dispatches import HOLDS, Dispatches, Part, hold, refuse
from scenarios.errors import Prerequisite
from scenarios.world import World

CROSSING = "slack"  # a frame that left before the return was known may still arrive


@scenario(
    "REC-26/returns-during-recovery",
    clauses=("REC-26",),
    title="Once an executor is HEALTHY again, no recovery names it any more",
    faults=(10, 35),
    variants={"while-all-refuse": refuse, "while-a-peer-is-silent": hold},
)
async def returns_during_recovery(world: World, part: Part) -> None:
    """Retries were due: in the backoff after a refusal, or at the deadline of a silent peer."""
    app = await world.app()
    executor = await world.executor(app)
    peers = [await world.executor(app, script=HOLDS) for _ in range(2)]
    await healthy(world, executor, *peers)
    dispatches = Dispatches(world, executor, peers, [part])
    await leave(world, executor)
    await dispatches.first()
    if part is refuse:
        await dispatches.until(2, within="backoff + slack")
    await back(world, executor)
    await healthy(world, executor)
    await world.sleep(seconds(world, CROSSING))
    since = world.note("HEALTHY again")
    await world.sleep(seconds(world, "recovery + backoff + 2*slack"))
    world.expect(
        "REC-26", "no_frame", "no recovery names it", app=app.name, type="recovery", match=naming(executor),
        since=since, until=world.note("every retry would have come"),
    )  # fmt: skip
    await read_audit(world, app)


@scenario(
    "REC-26/never-away",
    clauses=("REC-26",),
    title="While others die, no recovery names an executor that is HEALTHY",
    faults=(42, 48),
)
async def never_away(world: World) -> None:
    app = await world.app()
    living = [await world.executor(app) for _ in range(2)]
    dying = [await world.executor(app) for _ in range(2)]
    await healthy(world, *living, *dying)
    since = world.note("the others leave")
    for executor in dying:
        await leave(world, executor)
    for executor in dying:
        await world.until_status(executor, "DEAD", "GONE", within_s=patience(world, "g + scan + 2*slack"))
        await gone(world, executor)
    until = world.note("they were recovered")
    for executor in living:
        world.expect(
            "REC-26", "no_frame", "no recovery names a live one", app=app.name, type="recovery",
            match=naming(executor), since=since, until=until,
        )  # fmt: skip
    await read_audit(world, app)


@scenario(
    "REC-22/returns-after-deletion",
    clauses=("REC-22",),
    title="An executor that returns after its record was deleted registers as new",
    faults=(35, 41),
    needs=("list",),
)
async def returns_after_deletion(world: World) -> None:
    """Measured, not judged: how long until it is HEALTHY, and whether the relay asks for what it owns."""
    app = await world.app()
    executor, peer = await world.executor(app), await world.executor(app)
    await healthy(world, executor, peer)
    await leave(world, executor)
    within_s = patience(world, "g + scan + 2*slack + recovery")
    if await world.until_frame(peer, "recovery", within_s=within_s, match=naming(executor)) is None:
        raise Prerequisite("the peer was never asked")
    await gone(world, executor)
    await back(world, executor)
    returned_ns = world.now_ns()
    new = await world.until_status(executor, "HEALTHY", within_s=patience(world, HEALTHY_BY))
    world.expect(
        "REC-22", "value", "how long until it is HEALTHY", name="return after deletion to HEALTHY",
        value=round((world.now_ns() - returned_ns) / 1e9, 3) if new else "never", unit="s" if new else "",
    )  # fmt: skip
    asked = await world.until_frame(
        executor, "exist_pending_workflows", within_s=seconds(world, "request"), conn=executor.conn
    )
    world.expect(
        "REC-22", "value", "what the relay does about its work", value=asked is not None,
        name="asks a returned executor for its pending work",
    )  # fmt: skip
    await read_audit(world, app)
