"""CON-6: the key stays between the two that know it."""

from __future__ import annotations

from urllib.parse import quote

from scenarios.catalogue import scenario
from scenarios.catalogue.api.paths import app_path, org_path
from scenarios.catalogue.connection.dialing import dial
from scenarios.catalogue.observing import look
from scenarios.world import World


@scenario(
    "CON-6/nowhere",
    clauses=("CON-6",),
    title="A key that was used rightly, wrongly and after its end shows up nowhere",
    simulated=False,
    needs=("keys",),
)
async def nowhere(world: World) -> None:
    app = await world.app()
    unknown = await world.app(register=False)
    name, secret = await world.control.create_key(app.org)
    inside = await world.executor(app, key=secret)
    await dial(world, await world.executor(unknown, key=secret, connect=False))
    await dial(world, await world.executor(app, key=secret + "x", connect=False))

    encoded = quote(secret, safe="")
    await world.control.http("GET", f"/websocket/{app.name}/{encoded}")
    await world.control.http("GET", f"/websocket/{encoded}/{encoded}")
    await world.control.http("GET", f"/websocket/{app.name}/{encoded}/further")
    await world.control.http("GET", app_path(app), token=secret)
    await world.control.http("GET", org_path(app, "tokens"))
    await look(world, app)
    await world.control.http("GET", "/v1/metrics")

    await world.control.revoke_key(app.org, name)
    await inside.close()
    await dial(world, await world.executor(app, key=secret, connect=False))
    if world.profile.can("audit"):
        await world.control.audit(app.org)
    if world.profile.can("log"):
        await world.relay.log()
    world.expect("CON-6", "redacted", "no answer, error body, audit entry or log line holds the key")
