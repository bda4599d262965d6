"""CON-1: the door opens."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.connection.dialing import dial
from scenarios.world import World


@scenario("CON-1/own-key", clauses=("CON-1",), title="A known application with a valid key is let in", simulated=False)
async def own_key(world: World) -> None:
    app = await world.app()
    executor = await world.executor(app, connect=False)
    conn, _ = await dial(world, executor)
    world.expect("CON-1", "accepted", "the upgrade is accepted", conn=conn)


@scenario(
    "CON-1/created-key",
    clauses=("CON-1",),
    title="A key that was created a moment ago, for this application alone, is let in",
    simulated=False,
    needs=("keys", "scoped_keys"),
)
async def created_key(world: World) -> None:
    app = await world.app()
    _, secret = await world.control.create_key(app.org, apps=[app.name])
    executor = await world.executor(app, key=secret, connect=False)
    conn, _ = await dial(world, executor)
    world.expect("CON-1", "accepted", "the new key opens its application", conn=conn)


@scenario(
    "CON-1/many-connections",
    clauses=("CON-1",),
    title="One key opens many connections, also again after each has ended",
    simulated=False,
)
async def many_connections(world: World) -> None:
    app = await world.app()
    executors = [await world.executor(app, connect=False) for _ in range(5)]
    for _ in range(2):
        for executor in executors:
            conn, _ = await dial(world, executor)
            world.expect("CON-1", "accepted", "every dial is accepted", conn=conn)
        for executor in executors:
            await executor.close()
