"""LIV-14: what one executor does to itself, it does to no other."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from scenarios.catalogue import scenario
from scenarios.catalogue.liveness.moments import SILENT_BY, expect_stays, healthy, read_audit, seconds
from scenarios.world import App, Executor, Script, World


async def _watched(world: World, misbehave: Callable[[App, Executor], Awaitable[None]]) -> None:
    """Neighbours of the same and of another application, while one executor misbehaves for more than a ping wait."""
    app, other = await world.app(), await world.app()
    offender = await world.executor(app)
    neighbours = [await world.executor(app), await world.executor(app), await world.executor(other)]
    await healthy(world, offender, *neighbours)
    since = world.note(f"{offender.id} misbehaves from now on")
    await misbehave(app, offender)
    await world.sleep(seconds(world, SILENT_BY))
    until = world.note("held for more than a ping wait")
    for executor in neighbours:
        expect_stays(world, "LIV-14", "a neighbour stays HEALTHY", executor, "HEALTHY", since=since, until=until)
        world.expect("LIV-14", "open", "its socket stays open", conn=executor.conn, since=since, until=until)
        world.expect("LIV-1", "pings", "it is pinged as ever", conn=executor.conn, since=since, until=until)
    await read_audit(world, app)


@scenario("LIV-14/silence", clauses=("LIV-14",), title="One executor's silence leaves the others alone", faults=(40,))
async def silence(world: World) -> None:
    async def misbehave(app: App, offender: Executor) -> None:
        await offender.freeze()

    await _watched(world, misbehave)


@scenario(
    "LIV-14/flood",
    clauses=("LIV-14",),
    title="One executor's flood of frames leaves the others alone",
    faults=(65, 67),
    disturbs=True,
)
async def flood(world: World) -> None:
    """Bursts of frames that nobody asked for, for two ping intervals."""

    async def misbehave(app: App, offender: Executor) -> None:
        for _ in range(40):
            for number in range(50):
                await offender.send({"type": "list_steps", "request_id": f"unasked-{number}", "output": ["x" * 200]})
            await world.sleep(seconds(world, "2*i") / 40)

    await _watched(world, misbehave)


@scenario(
    "LIV-14/slow-reader",
    clauses=("LIV-14",),
    title="One executor that does not read leaves the others alone",
    faults=(65,),
    needs=("workflows",),
)
async def slow_reader(world: World) -> None:
    """It answers nothing and reads nothing, while callers wait for it."""

    async def misbehave(app: App, offender: Executor) -> None:
        offender.script(Script(reading=False))
        for number in range(8):
            world.spawn(world.control.workflow(app, "get", f"{number}-" + "x" * 4000))

    await _watched(world, misbehave)
