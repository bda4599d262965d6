"""LIV-7: DEAD after the grace period, neither sooner nor later."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.liveness.moments import (
    DEAD_BY,
    DEAD_FROM,
    ENDS,
    SILENT_DEAD_BY,
    SILENT_DEAD_FROM,
    fall_silent,
    healthy,
    leave,
    patience,
    read_audit,
    scripted,
    seconds,
)
from scenarios.world import App, Executor, Reply, World


async def _pair(world: World) -> tuple[App, Executor]:
    """The executor that will die. Its peer never answers, so that the record stays for the poller to see.

    Without a list nobody polls, and what shows the next death is a recovery frame that must not wait for this one.
    """
    app = await world.app()
    executor = await world.executor(app)
    silent = scripted(recovery=Reply(silent=True)) if world.profile.can("list") else None
    peer = await world.executor(app, script=silent)
    await healthy(world, executor, peer)
    return app, executor


async def _expect_dead(world: World, executor: Executor, moment: int, earliest: str, latest: str) -> None:
    await world.until_status(executor, "DEAD", within_s=patience(world, latest))
    world.expect(
        "LIV-7", "transition", "DEAD when the grace period is over, a look of the relay later at most",
        executor=executor.id, to="DEAD", after=moment, earliest=earliest, latest=latest,
    )  # fmt: skip


@scenario(
    "LIV-7/stays-away",
    clauses=("LIV-7",),
    title="DEAD a grace period after the end of the socket, whatever the kind of end",
    faults=(12, 74, 78),
    variants=ENDS,
)
async def stays_away(world: World, how: str) -> None:
    app, executor = await _pair(world)
    await _expect_dead(world, executor, await leave(world, executor, how), DEAD_FROM, DEAD_BY)
    await read_audit(world, app)


@scenario(
    "LIV-7/silent", clauses=("LIV-7",), title="A silent executor is DEAD after ping wait and grace", faults=(5, 58)
)
async def silent(world: World) -> None:
    app, executor = await _pair(world)
    await world.until_ping(executor, within_s=seconds(world, "w"), count=2)
    last_life = await fall_silent(world, executor)
    await _expect_dead(world, executor, last_life, SILENT_DEAD_FROM, SILENT_DEAD_BY)
    await read_audit(world, app)


@scenario(
    "LIV-7/among-others",
    clauses=("LIV-7",),
    title="Deaths follow each other closely, and each has its own deadline",
    faults=(40, 48, 78),
)
async def among_others(world: World) -> None:
    """Five leave a fraction of a second apart, so that deadlines fall between and onto the looks of the relay."""
    app, first = await _pair(world)
    leaving = [first, *[await world.executor(app) for _ in range(4)]]
    await healthy(world, *leaving)
    moments = []
    for executor in leaving:
        moments.append(await leave(world, executor))
        await world.sleep(seconds(world, "scan") * 0.7)
    for executor, moment in zip(leaving, moments, strict=True):
        await _expect_dead(world, executor, moment, DEAD_FROM, DEAD_BY)
    await read_audit(world, app)
