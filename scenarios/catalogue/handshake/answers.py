"""executor_info answers that a scenario writes by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scenarios.catalogue.observing import look
from scenarios.errors import Prerequisite
from scenarios.world import App, Executor, Reply, Script, World

SILENT = Script(replies={"executor_info": Reply(silent=True)})


def info_answer(executor_id: str, request_id: object, /, **changes: Any) -> dict[str, Any]:
    """What a Python executor answers to executor_info (protocol page), with changes."""
    return {
        "type": "executor_info",
        "request_id": request_id,
        "executor_id": executor_id,
        "application_version": "v1",
        "hostname": "host",
        "language": "python",
        "dbos_version": "2.31.1",
        "executor_metadata": None,
        "error_message": None,
        **changes,
    }


async def asked_for_info(world: World, executor: Executor) -> Mapping[str, Any]:
    """Dial, say nothing, and return the relay's executor_info request. Raises `Prerequisite` where none comes."""
    conn = await executor.connect(wait=False)
    asked = await world.until_frame(executor, "executor_info", conn=conn, within_s=world.timing.handshake_deadline_s)
    if asked is None:
        raise Prerequisite("the relay never sent executor_info")
    return asked


async def listed_ids(world: World, app: App) -> list[str]:
    """The ids that the executors list shows now."""
    return [seen.executor for seen in await look(world, app)]


async def until_listed(world: World, app: App, executor: Executor, wanted: Mapping[str, Any]) -> None:
    """Look at the list until it shows these fields, or until it is late for that."""

    async def shown() -> bool:
        listed = [seen for seen in await look(world, app) if seen.executor == executor.id]
        return any(all(getattr(seen, name) == value for name, value in wanted.items()) for seen in listed)

    timing = world.timing
    await world.until(shown, within_s=timing.handshake_deadline_s + timing.slack_s + timing.scan_s)


async def expect_nothing_registered(world: World, app: App, executor: Executor, clause: str) -> None:
    """Watch a fresh application's list for as long as a relay may take to show a registration, then judge it.

    An empty list is demanded rather than the absence of one id: an answer without a usable id has none to look for.
    """
    since = world.note("the answer is out")
    seen: set[str] = set()

    async def anybody() -> bool:
        seen.update(await listed_ids(world, app))
        return bool(seen)

    await world.until(anybody, within_s=world.timing.slack_s + 2 * world.timing.scan_s)
    world.expect(
        clause, "equal", "the application's list stays empty", name="executors listed", want=[], got=sorted(seen)
    )
    world.expect(clause, "not_listed", "nothing is registered", executor=executor.id, since=since, until=None)
