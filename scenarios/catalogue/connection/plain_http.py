"""CON-7: what comes to the WebSocket path and is no WebSocket upgrade."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from scenarios.catalogue import scenario
from scenarios.catalogue.connection.dialing import dial
from scenarios.world import World

_KEY = "dGhlIHNhbXBsZSBub25jZQ=="
_WHOLE = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": _KEY}


def _without(name: str, **changed: str) -> Mapping[str, str]:
    return {key: value for key, value in _WHOLE.items() if key != name} | changed


_REQUESTS: dict[str, tuple[str, Mapping[str, str]]] = {
    "plain-get": ("GET", {}),
    "upgrade-by-post": ("POST", _WHOLE),
    "no-key": ("GET", _without("Sec-WebSocket-Key")),
    "short-key": ("GET", {**_WHOLE, "Sec-WebSocket-Key": "c2hvcnQ="}),
    "no-version": ("GET", _without("Sec-WebSocket-Version")),
    "version-12": ("GET", {**_WHOLE, "Sec-WebSocket-Version": "12"}),
    "no-upgrade-header": ("GET", _without("Upgrade")),
    "upgrade-to-h2c": ("GET", {**_WHOLE, "Upgrade": "h2c"}),
}


@scenario(
    "CON-7/no-upgrade",
    clauses=("CON-7",),
    title="A request on the WebSocket path that is no whole upgrade gets a 4xx answer, and the relay goes on",
    simulated=False,
    needs=("keys",),
    variants=_REQUESTS,
)
async def no_upgrade(world: World, request: tuple[str, Mapping[str, str]]) -> None:
    method, headers = request
    app = await world.app()
    _, secret = await world.control.create_key(app.org)
    resident = await world.executor(app)
    since = world.note("an executor is connected meanwhile")
    path = f"/websocket/{app.name}/{quote(secret, safe='')}"
    answer = await world.control.http(method, path, token=None, headers=headers)
    world.expect("CON-7", "answer", "a client error, not an upgrade and no silence", call=answer.call, status=["4xx"])

    conn, _ = await dial(world, await world.executor(app, connect=False))
    world.expect("CON-7", "accepted", "a whole upgrade afterwards is accepted", conn=conn)
    world.expect("CON-7", "open", "the connected executor's socket stays open", conn=resident.conn, since=since)
