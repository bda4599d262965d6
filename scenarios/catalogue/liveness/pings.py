"""LIV-1, LIV-2: pings in both directions."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.liveness.moments import back, healthy, introduced, scripted, seconds
from scenarios.world import Executor, Reply, World

WATCHED = "4*i + slack"  # long enough for a mean of three gaps


async def _expect_pings(world: World, *executors: Executor) -> None:
    since = [introduced(world, executor) for executor in executors]
    await world.sleep(seconds(world, WATCHED))
    until = world.note("watched long enough")
    for executor, start in zip(executors, since, strict=True):
        world.expect(
            "LIV-1", "pings", f"{executor.id} is pinged every i, with no gap beyond w",
            conn=executor.conn, since=start, until=until,
        )  # fmt: skip


@scenario("LIV-1/idle", clauses=("LIV-1",), title="Idle connections are pinged, each of them", faults=(53,))
async def idle(world: World) -> None:
    app = await world.app()
    executors = [await world.executor(app) for _ in range(3)]
    await healthy(world, *executors)
    await _expect_pings(world, *executors)


@scenario(
    "LIV-1/replaced", clauses=("LIV-1",), title="A connection that replaced another is pinged like any", faults=(69,)
)
async def replaced(world: World) -> None:
    """The ping timer of a connection that is made while its predecessor is taken down must be armed too."""
    app = await world.app()
    executor = await world.executor(app)
    await healthy(world, executor)
    await executor.freeze()
    await back(world, executor)
    await _expect_pings(world, executor)


@scenario("LIV-1/talking", clauses=("LIV-1",), title="An executor that sends frames all the time is pinged still")
async def talking(world: World) -> None:
    app = await world.app()
    executor = await world.executor(app)
    await healthy(world, executor)
    chatter = world.spawn(_chatter(world, executor))
    await _expect_pings(world, executor)
    await chatter


async def _chatter(world: World, executor: Executor) -> None:
    for number in range(40):
        await executor.send({"type": "list_workflows", "request_id": f"unasked-{number}", "output": []})
        await world.sleep(seconds(world, WATCHED) / 40)


@scenario(
    "LIV-2/payloads",
    clauses=("LIV-2",),
    title="An executor's ping comes back as a pong with its payload",
    variants={"empty": [b""], "longest": [b"x" * 125], "several": [b"one", b"two", b"three"]},
)
async def payloads(world: World, sent: list[bytes]) -> None:
    app = await world.app()
    executor = await world.executor(app)
    since = world.note("pings begin")
    for payload in sent:
        await executor.ping(payload)
    await world.sleep(seconds(world, "2*slack"))
    world.expect(
        "LIV-2", "ponged", "the newest ping is answered with its payload",
        conn=executor.conn, since=since, until=world.note("pings end"),
    )  # fmt: skip


@scenario(
    "LIV-2/long-request",
    clauses=("LIV-2", "LIV-5"),
    title="Pings are answered while the executor works on a long request",
    faults=(42, 67),
    needs=("workflows",),
)
async def long_request(world: World) -> None:
    """The request is answered only after the ping wait: an executor that is busy is not silent."""
    app = await world.app()
    busy_s = seconds(world, "request - slack")
    executor = await world.executor(app, script=scripted(list_workflows=Reply(after_s=busy_s)))
    await healthy(world, executor)
    since = world.note("the request begins")
    call = world.spawn(world.control.workflow(app, "list"))
    for number in range(5):
        await executor.ping(b"busy %d" % number)
        await world.sleep(busy_s / 5)
    await call
    until = world.note("the request ends")
    world.expect("LIV-2", "ponged", "each ping is answered at once", conn=executor.conn, since=since, until=until)
    world.expect(
        "LIV-5", "open", "the connection outlives the long request", conn=executor.conn, since=since, until=until
    )
