"""CON-2 and CON-8: keys that open nothing."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.connection.dialing import expect_shut_out, expect_unlisted, socket_path
from scenarios.world import World

_KEYS = {
    "unknown": "dbos_00000000_0123456789abcdef0123456789abcdef",
    "malformed": "not-a-key",
    "blank": "%20",
    "quoted": "%22%27",
    "very-long": "k" * 2000,
}
_UNUSABLE = {"empty": "", "undecodable": "%FF%FE", "null-byte": "dbos_%00"}


@scenario(
    "CON-2/bad-key",
    clauses=("CON-2", "CON-8"),
    title="A key that the relay doesn't know is refused",
    simulated=False,
    needs=("auth",),
    faults=(25,),
    variants=_KEYS,
)
async def bad_key(world: World, encoded: str) -> None:
    await _shut_out(world, encoded, [401, 403])


@scenario(
    "CON-2/unusable-key",
    clauses=("CON-2", "CON-8"),
    title="An empty or undecodable key is refused",
    simulated=False,
    needs=("auth",),
    variants=_UNUSABLE,
)
async def unusable_key(world: World, encoded: str) -> None:
    await _shut_out(world, encoded, [400, 401, 403, 404])


@scenario(
    "CON-2/revoked-key",
    clauses=("CON-2", "CON-8"),
    title="A revoked key opens no connection any more",
    simulated=False,
    needs=("auth", "keys"),
    faults=(25,),
)
async def revoked_key(world: World) -> None:
    app = await world.app()
    name, secret = await world.control.create_key(app.org)
    await world.control.revoke_key(app.org, name)
    since = world.note("the key is revoked")
    executor = await world.executor(app, key=secret, connect=False)
    await expect_shut_out(world, executor, "CON-2", [401, 403])
    await expect_unlisted(world, app, executor, "CON-2", since)


@scenario(
    "CON-2/altered-key",
    clauses=("CON-2", "CON-8"),
    title="A valid key with one character changed, cut off or added is refused",
    simulated=False,
    needs=("auth", "keys"),
    variants=("changed", "cut", "longer", "upper-case"),
)
async def altered_key(world: World, how: str) -> None:
    app = await world.app()
    _, secret = await world.control.create_key(app.org)
    last = "a" if secret[-1] != "a" else "b"
    altered = {
        "changed": secret[:-1] + last,
        "cut": secret[:-1],
        "longer": secret + "a",
        "upper-case": secret.swapcase(),
    }[how]
    since = world.note("the key is altered")
    executor = await world.executor(app, key=altered, connect=False)
    await expect_shut_out(world, executor, "CON-2", [401, 403])
    await expect_unlisted(world, app, executor, "CON-2", since)


async def _shut_out(world: World, encoded: str, statuses: list[int]) -> None:
    app = await world.app()
    since = world.note("an application that nobody is connected to")
    executor = await world.executor(app, path=socket_path(app.name, encoded), connect=False)
    await expect_shut_out(world, executor, "CON-2", statuses)
    await expect_unlisted(world, app, executor, "CON-2", since)
