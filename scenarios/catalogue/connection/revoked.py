"""CON-10: a key that is revoked while its executors are connected."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.envelope.calls import ready_executor
from scenarios.catalogue.liveness.moments import patience
from scenarios.world import World


@scenario(
    "CON-10/revoked-while-connected",
    clauses=("CON-10",),
    title="Revoking a key ends its connections, and no others",
    simulated=False,
    needs=("auth", "keys"),
)
async def revoked_while_connected(world: World) -> None:
    app = await world.app()
    name, secret = await world.control.create_key(app.org)
    executor = await ready_executor(world, app, key=secret)
    other = await ready_executor(world, app)
    revoked = world.note("the key is about to be revoked")
    await world.control.revoke_key(app.org, name)
    await world.until_closed(executor, within_s=patience(world, "slack"))
    world.expect("CON-10", "closed", "its connection ends", conn=executor.conn, after=revoked, latest="2*slack")
    world.expect("CON-10", "open", "another key's goes on", conn=other.conn, since=revoked, until=None)
    if world.profile.can("list"):
        await world.until_status(executor, "DISCONNECTED", within_s=patience(world, "slack"))
        world.expect(
            "CON-10", "transition", "and the executor is DISCONNECTED", executor=executor.id, to="DISCONNECTED",
            after=revoked, latest="scan + 2*slack",
        )  # fmt: skip
