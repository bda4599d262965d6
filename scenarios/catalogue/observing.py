"""Looking at a relay that may be gone by now, and saying that the host was too slow to see anything."""

from __future__ import annotations

from collections.abc import Sequence

from evidence.events import Seen
from scenarios.errors import ControlError
from scenarios.world import App, World

TRIES = 3
"""On a slow host what must happen within a time may come too late, which shows nothing: then once more."""


async def look(world: World, app: App) -> Sequence[Seen]:
    """One more list of executors in the history. None had: empty, and it is recorded that none was had.

    A relay that fell over under the scenario is what the expectations are about, not an error of the suite.
    """
    try:
        return await world.control.executors(app)
    except ControlError:
        return ()


def recorded(world: World, event: str, **fields: object) -> bool:
    """Whether the history has such an event by now."""
    try:
        world.last(event, **fields)
    except LookupError:
        return False
    return True


def too_slow(world: World, reason: str) -> None:
    """The host let the scenario's own moments pass: what it declares and can't show is UNKNOWN."""
    world.note("slow-host", reason=reason)
