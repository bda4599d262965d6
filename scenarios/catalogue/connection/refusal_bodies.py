"""CON-11: what a refusal says must not end its reader."""

from __future__ import annotations

from urllib.parse import quote

from scenarios.catalogue import scenario
from scenarios.catalogue.connection.dialing import dial, socket_path
from scenarios.world import World

_KEY = "dbos_00000000_0123456789abcdef0123456789abcdef"
_PATHS = {
    "unknown-key": ("", ""),
    "non-ascii-key": ("", quote("\N{LATIN SMALL LETTER E WITH ACUTE}\N{SNOWMAN}")),
    "latin-1-key": ("", "%E9"),
    "latin-1-application": ("%E9", ""),
    "half-a-character": ("%E2%98", "%E2%98"),
}
"""What is put behind the application's name and behind a key that is unknown, percent-encoded as it goes out."""


@scenario(
    "CON-11/refusal",
    clauses=("CON-11",),
    title="The body of a refusal is UTF-8 text, also where the path is not",
    simulated=False,
    needs=("auth",),
    variants=_PATHS,
)
async def refusal(world: World, behind: tuple[str, str]) -> None:
    app = await world.app()
    executor = await world.executor(app, path=socket_path(app.name + behind[0], _KEY + behind[1]), connect=False)
    conn, accepted = await dial(world, executor)
    if accepted:
        await world.until_closed(executor, conn=conn, within_s=world.timing.handshake_deadline_s)
    world.expect("CON-11", "legible", "its body is empty or UTF-8 text", conn=conn)
