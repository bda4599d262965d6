"""LIV-4: the end of the socket is noticed at once."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.liveness.moments import DISCONNECTED_BY, ENDS, SILENT_BY, healthy, leave, patience
from scenarios.world import Executor, World


@scenario(
    "LIV-4/socket-ends",
    clauses=("LIV-4",),
    title="DISCONNECTED as soon as the socket ends",
    faults=(12, 77),
    variants=ENDS,
)
async def socket_ends(world: World, how: str) -> None:
    app = await world.app()
    executor = await world.executor(app)
    await healthy(world, executor)
    await _expect_disconnected(world, executor, await leave(world, executor, how))


@scenario(
    "LIV-4/pong-before-the-end",
    clauses=("LIV-4",),
    title="A pong just before the end of the stream does not hide it",
    faults=(77,),
)
async def pong_before_the_end(world: World) -> None:
    app = await world.app()
    executor = await world.executor(app)
    await healthy(world, executor)
    await executor.pong(b"last words")
    await _expect_disconnected(world, executor, await leave(world, executor, "fin"))


@scenario(
    "LIV-4/half-close",
    clauses=("LIV-4",),
    title="The end of the executor's half of the stream is its end",
    faults=(53,),
    simulated=False,
)
async def half_close(world: World) -> None:
    app = await world.app()
    executor = await world.executor(app)
    await healthy(world, executor)
    moment = world.note(f"{executor.id} shuts down its sending side")
    await executor.half_close()
    await _expect_disconnected(world, executor, moment)
    await world.until_closed(executor, within_s=patience(world, SILENT_BY))
    world.expect("LIV-4", "released", "the relay ends its half too", conn=executor.conn, after=moment, latest=SILENT_BY)


async def _expect_disconnected(world: World, executor: Executor, moment: int) -> None:
    await world.until_status(executor, "DISCONNECTED", within_s=patience(world, DISCONNECTED_BY))
    world.expect(
        "LIV-4", "transition", "DISCONNECTED within slack of the end of the socket",
        executor=executor.id, to="DISCONNECTED", after=moment, latest=DISCONNECTED_BY,
    )  # fmt: skip
