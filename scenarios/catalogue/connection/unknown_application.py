"""CON-4: applications that nobody registered."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.connection.dialing import dial
from scenarios.world import World


@scenario(
    "CON-4/never-registered",
    clauses=("CON-4",),
    title="An application that was never registered is refused with 404",
    simulated=False,
    needs=("refuses_unknown",),
    faults=(25,),
)
async def never_registered(world: World) -> None:
    app = await world.app(register=False)
    executor = await world.executor(app, connect=False)
    conn, _ = await dial(world, executor)
    world.expect("CON-4", "refused", "an unknown application is 404 at the upgrade", conn=conn, status=[404])


@scenario(
    "CON-4/registered-later",
    clauses=("CON-4", "CON-1"),
    title="Refused while the application is unknown, let in once it is registered",
    simulated=False,
    needs=("refuses_unknown", "register"),
    faults=(25,),
)
async def registered_later(world: World) -> None:
    unknown = await world.app(register=False)
    executor = await world.executor(unknown, connect=False)
    conn, _ = await dial(world, executor)
    world.expect("CON-4", "refused", conn=conn, status=[404])
    await world.app(name=unknown.name)
    conn, _ = await dial(world, executor)
    world.expect("CON-1", "accepted", "once registered it is let in", conn=conn)
