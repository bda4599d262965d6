"""CON-9: what users put in front of the path."""

from __future__ import annotations

from urllib.parse import quote

from scenarios.catalogue import scenario
from scenarios.catalogue.connection.dialing import dial, socket_path
from scenarios.world import World


@scenario(
    "CON-9/front",
    clauses=("CON-9",),
    title="A base path or a doubled slash in front of websocket still reaches the endpoint",
    simulated=False,
    needs=("keys",),
    variants={
        "one": "/base",
        "two": "/some/base",
        "managed": "/conductor/v1alpha1",
        "doubled-slash": "/",
        "both": "/base/",
    },
)
async def front(world: World, front: str) -> None:
    app = await world.app()
    _, secret = await world.control.create_key(app.org)
    path = socket_path(app.name, quote(secret, safe=""), front=front)
    executor = await world.executor(app, key=secret, path=path, connect=False)
    conn, accepted = await dial(world, executor)
    world.expect("CON-9", "accepted", f"the upgrade at {front}/websocket/... is accepted", conn=conn)
    if accepted:
        await world.until_status(executor, "HEALTHY", within_s=world.timing.handshake_deadline_s)
