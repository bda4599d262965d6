"""What must not have happened while somebody tried what nobody allows: no request, no change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from scenarios.catalogue.api.state import state
from scenarios.catalogue.envelope.calls import ready_executor
from scenarios.world import App, World


async def expect_unmoved(
    world: World, clause: str, app: App, attempt: Callable[[str, str], Awaitable[None]], *, allow: Sequence[str]
) -> None:
    """``attempt`` gets the names of a key that is there and of one that nobody may make.

    Nothing but requests of the types in ``allow`` reaches an executor that would answer anything, nothing changes.
    """
    executor = await ready_executor(world, app)
    resident, _ = await world.control.create_key(app.org)
    intruder = f"{app.name}-intruder"
    before = await state(world, app, (resident, intruder))
    since = world.note("one executor that would answer anything")
    await attempt(resident, intruder)
    after = await state(world, app, (resident, intruder))
    world.expect(clause, "equal", "and changes nothing", name="settings and keys", want=before, got=after)
    world.expect(
        clause, "quiet", "nothing reaches the executor", conn=executor.conn, since=since, until=None, allow=[*allow]
    )
