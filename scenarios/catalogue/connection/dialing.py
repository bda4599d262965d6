"""Dialling where the upgrade itself is in question."""

from __future__ import annotations

from scenarios.catalogue.observing import look, recorded
from scenarios.world import App, Executor, World


async def dial(world: World, executor: Executor) -> tuple[int, bool]:
    """Dial once and wait for the answer to the upgrade. Returns the connection number and whether it was accepted.

    A relay that answers nothing at all leaves the connection neither accepted nor refused; that reads as not accepted.
    """
    conn = await executor.connect()
    return conn, recorded(world, "upgraded", conn=conn)


async def expect_shut_out(world: World, executor: Executor, clause: str, statuses: list[int] | None = None) -> None:
    """Dial where the relay must not let the executor in, and say so for `clause`.

    A refusal after the upgrade is a refusal too: then the relay ends the connection itself, having sent nothing but
    executor_info. ``statuses``: what CON-8 wants of a refusal at the upgrade.
    """
    conn, accepted = await dial(world, executor)
    if accepted:
        await world.until_closed(executor, conn=conn, within_s=world.timing.handshake_deadline_s)
        opened = world.last("open", conn=conn)
        world.expect(
            clause,
            "quiet",
            "no request but executor_info",
            conn=conn,
            since=opened,
            until=None,
            allow=["executor_info"],
        )
    world.expect(clause, "refused", "refused, or ended by the relay", conn=conn, or_closed=True)
    if statuses is not None:
        world.expect("CON-8", "refused", "the refusal comes at the upgrade", conn=conn, status=statuses)


async def expect_unlisted(world: World, app: App, executor: Executor, clause: str, since: int) -> None:
    """Look at the list twice, a scan apart, and say that the executor is in neither."""
    await look(world, app)
    await world.sleep(2 * world.timing.scan_s)  # a relay may show a registration only with its next scan
    await look(world, app)
    world.expect(clause, "not_listed", "nothing is registered", executor=executor.id, since=since, until=None)


def socket_path(*segments: str, front: str = "") -> str:
    """A request path below the relay's base; the segments go out as they are, so they come percent-encoded."""
    return f"{front}/websocket/" + "/".join(segments)
