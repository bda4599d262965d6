"""HSK-1: the relay asks first."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.handshake.answers import SILENT
from scenarios.world import Script, World


@scenario(
    "HSK-1/first-frame",
    clauses=("HSK-1",),
    title="The first text frame after the upgrade is executor_info",
    variants={"answered": Script(), "unanswered": SILENT},
)
async def first_frame(world: World, script: Script) -> None:
    app = await world.app()
    executor = await world.executor(app, script=script, connect=False)
    for _ in range(2):
        conn = await executor.connect(wait=False)
        await world.until_frame(executor, "executor_info", conn=conn, within_s=world.timing.handshake_deadline_s)
        world.expect("HSK-1", "first_frame", "executor_info with a request_id comes first", conn=conn)
        await executor.close(conn=conn)
