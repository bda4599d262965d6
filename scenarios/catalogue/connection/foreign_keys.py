"""CON-3: keys that are valid, elsewhere."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.connection.dialing import dial, expect_shut_out, expect_unlisted
from scenarios.catalogue.observing import look
from scenarios.world import World


@scenario(
    "CON-3/other-organisation",
    clauses=("CON-3",),
    title="A key of another organisation does not connect to this one's application",
    simulated=False,
    needs=("auth", "organisations", "keys"),
    faults=(70,),
)
async def other_organisation(world: World) -> None:
    app = await world.app()
    elsewhere = await world.app(org="other")
    _, secret = await world.control.create_key(elsewhere.org)
    since = world.note("a key of the other organisation, the name of an application that only this one has")
    executor = await world.executor(app, key=secret, connect=False)
    await dial(world, executor)  # a relay that registers unknown names may let it in, there
    await expect_unlisted(world, app, executor, "CON-3", since)


@scenario(
    "CON-3/same-name",
    clauses=("CON-3",),
    title="Two organisations with an application of the same name: the key alone decides",
    simulated=False,
    needs=("auth", "organisations", "keys"),
    faults=(70,),
)
async def same_name(world: World) -> None:
    app = await world.app()
    twin = await world.app(org="other", name=app.name)
    _, secret = await world.control.create_key(twin.org)
    resident = await world.executor(app)
    since = world.note("both organisations have the application")
    executor = await world.executor(app, id=resident.id + "-twin", key=secret, connect=False)
    await dial(world, executor)
    await expect_unlisted(world, app, executor, "CON-3", since)
    world.expect("CON-3", "stays", executor=resident.id, statuses=["HEALTHY"], since=since, until=None)


@scenario(
    "CON-3/same-id",
    clauses=("CON-3",),
    title="An executor of another organisation with the same id does not take this one's place",
    simulated=False,
    needs=("auth", "organisations", "keys"),
    faults=(70,),
)
async def same_id(world: World) -> None:
    app = await world.app()
    twin = await world.app(org="other", name=app.name)
    resident = await world.executor(app)
    await world.until_status(resident, "HEALTHY", within_s=world.timing.handshake_deadline_s)
    since = world.note("the resident is registered")
    guest = await world.executor(twin, id=resident.id, connect=False)
    await dial(world, guest)
    await world.until_status(guest, "HEALTHY", within_s=world.timing.handshake_deadline_s)
    await guest.close()
    await look(world, app)
    world.expect("CON-3", "open", "its socket stays open", conn=resident.conn, since=since, until=None)
    world.expect(
        "CON-3",
        "stays",
        "it stays registered",
        executor=resident.id,
        org=app.org,
        app=app.name,
        statuses=["HEALTHY"],
        since=since,
        until=None,
    )


@scenario(
    "CON-3/scoped-key",
    clauses=("CON-3",),
    title="A key scoped to one application opens no other one of its organisation",
    simulated=False,
    needs=("auth", "scoped_keys", "keys"),
)
async def scoped_key(world: World) -> None:
    mine, closed = await world.app(), await world.app()
    _, secret = await world.control.create_key(mine.org, apps=[mine.name])
    since = world.note("the key is scoped to one of the two applications")
    executor = await world.executor(closed, key=secret, connect=False)
    await expect_shut_out(world, executor, "CON-3")
    await expect_unlisted(world, closed, executor, "CON-3", since)
