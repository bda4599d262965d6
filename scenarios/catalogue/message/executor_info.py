"""MSG-executor_info: one question a connection, and nothing in it but type and request_id."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.envelope.calls import ready_executor
from scenarios.catalogue.handshake.answers import until_listed
from scenarios.world import World


@scenario(
    "MSG-executor_info/asked",
    clauses=("MSG-executor_info",),
    title="Every connection is asked for executor_info, and the answer's values reach the list",
)
async def asked(world: World) -> None:
    app = await world.app()
    executor = await ready_executor(world, app, version="v7", metadata={"zone": "eu-1"})
    wanted = {"status": "HEALTHY", "version": "v7", "metadata": {"zone": "eu-1"}}
    for _ in range(2):
        opened = world.last("open", conn=executor.conn)
        world.expect(
            "MSG-executor_info",
            "frame",
            "the question",
            conn=executor.conn,
            type="executor_info",
            after=opened,
            latest="handshake",
        )
        world.expect(
            "MSG-executor_info",
            "listed",
            "the values of its answer",
            executor=executor.id,
            after=opened,
            fields=wanted,
            latest="handshake",
        )
        await until_listed(world, app, executor, wanted)
        await executor.close()
        await world.until_status(executor, "DISCONNECTED", within_s=world.timing.handshake_deadline_s)
        await executor.connect()
        await world.until_status(executor, "HEALTHY", within_s=world.timing.handshake_deadline_s)
