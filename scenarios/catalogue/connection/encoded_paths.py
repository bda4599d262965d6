"""CON-5: percent-encoding in the path of the upgrade."""

from __future__ import annotations

from collections.abc import Callable

from scenarios.catalogue import scenario
from scenarios.catalogue.connection.dialing import dial, expect_shut_out, expect_unlisted, socket_path
from scenarios.catalogue.observing import look
from scenarios.world import World


def _every_byte(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


def _every_byte_lower(text: str) -> str:
    return _every_byte(text).lower()


@scenario(
    "CON-5/decoded",
    clauses=("CON-5",),
    title="A wholly percent-encoded application name and key reach the application",
    simulated=False,
    needs=("keys",),
    variants={"upper": _every_byte, "lower": _every_byte_lower},
)
async def decoded(world: World, encode: Callable[[str], str]) -> None:
    app = await world.app()
    _, secret = await world.control.create_key(app.org)
    path = socket_path(encode(app.name), encode(secret))
    executor = await world.executor(app, key=secret, path=path, connect=False)
    conn, accepted = await dial(world, executor)
    world.expect("CON-5", "accepted", "each segment is decoded", conn=conn)
    if accepted:
        await world.until_status(executor, "HEALTHY", within_s=world.timing.handshake_deadline_s)
        await look(world, app)
        world.expect(
            "CON-5",
            "listed",
            "it arrives in the application that the decoded name says",
            executor=executor.id,
            after=world.last("upgraded", conn=conn),
            fields={"status": "HEALTHY"},
            latest="handshake",
        )


_ONE_SEGMENT: dict[str, Callable[[str, str], tuple[str, ...]]] = {
    "twice-encoded": lambda app, key: (_every_byte(app).replace("%", "%25"), key),
    "twice-encoded-key": lambda app, key: (app, _every_byte(key).replace("%", "%25")),
    "slash-between": lambda app, key: (f"{app}%2F{key}",),
    "slash-between-lower": lambda app, key: (f"{app}%2f{key}",),
    "slash-after-key": lambda app, key: (app, f"{key}%2F"),
    "slash-in-key": lambda app, key: (app, f"x%2F{key}"),
    "parent": lambda app, key: ("none", f"..%2F{app}%2F{key}"),
}


@scenario(
    "CON-5/one-segment",
    clauses=("CON-5",),
    title="Nothing is decoded twice, and an encoded slash is a character of its segment",
    simulated=False,
    needs=("auth", "keys", "refuses_unknown"),
    variants=_ONE_SEGMENT,
)
async def one_segment(world: World, segments: Callable[[str, str], tuple[str, ...]]) -> None:
    app = await world.app()
    _, secret = await world.control.create_key(app.org)
    since = world.note("the path holds the right name and key, but not as two segments encoded once")
    path = socket_path(*segments(app.name, secret))
    executor = await world.executor(app, key=secret, path=path, connect=False)
    await expect_shut_out(world, executor, "CON-5")
    await expect_unlisted(world, app, executor, "CON-5", since)
