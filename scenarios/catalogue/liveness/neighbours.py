"""LIV-14: what one executor does to itself, it does to no other."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from scenarios.catalogue import scenario
from scenarios.catalogue.api.paths import app_path
from scenarios.catalogue.liveness.moments import SILENT_BY, expect_stays, healthy, read_audit, seconds
from scenarios.world import App, Executor, Script, World

_LARGE = b'{"attributes": {"x": "' + b"x" * 500_000 + b'"}}'
_LARGE_CALLS = 16
"""8 MB together: the buffers of a loopback connection were measured to take 3.5 MB."""


async def _watched(world: World, misbehave: Callable[[App, Executor], Awaitable[None]], *, alone: bool = False) -> None:
    """Neighbours of the same and of another application, while one executor misbehaves for more than a ping wait.

    ``alone``: none of the same application, so that its calls reach the offender.
    """
    app, other = await world.app(), await world.app()
    offender = await world.executor(app)
    neighbours = [await world.executor(other), *[await world.executor(other if alone else app) for _ in range(2)]]
    await healthy(world, offender, *neighbours)
    since = world.note(f"{offender.id} misbehaves from now on")
    await misbehave(app, offender)
    for _ in range(3 if world.profile.can("workflows") else 0):
        answer = await world.control.workflow(other, "list")
        world.expect(
            "LIV-14", "answer", "a neighbour's call is answered", call=answer.call, status=[200], latest="request"
        )
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
    simulated=False,
    needs=("workflows",),
)
async def slow_reader(world: World) -> None:
    """It reads nothing while callers ask it for more than the sockets' buffers hold: the relay must wait for it."""

    async def misbehave(app: App, offender: Executor) -> None:
        offender.script(Script(reading=False))
        search = app_path(app, "workflows", "search")
        for _ in range(_LARGE_CALLS):
            world.spawn(world.control.http("POST", search, raw=_LARGE, content_type="application/json", org=app.org))

    await _watched(world, misbehave, alone=True)
