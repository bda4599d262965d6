"""LIV-17: which frames count as life. Measured, not judged."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from scenarios.catalogue import scenario
from scenarios.catalogue.liveness.moments import DEAF, SILENT_BY, healthy, seconds
from scenarios.catalogue.observing import look
from scenarios.world import Executor, World

Sign = Callable[[Executor, int], Awaitable[None]]


async def _data(executor: Executor, number: int) -> None:
    await executor.send({"type": "list_steps", "request_id": f"unasked-{number}", "output": []})


async def _unsolicited_pong(executor: Executor, number: int) -> None:
    await executor.pong(b"unasked %d" % number)


async def _own_ping(executor: Executor, number: int) -> None:
    await executor.ping(b"own %d" % number)


SIGNS: dict[str, Sign] = {"data-frames": _data, "unsolicited-pongs": _unsolicited_pong, "own-pings": _own_ping}


@scenario(
    "LIV-17/counts-as-life",
    clauses=("LIV-17",),
    title="Which frames, besides pongs that answer a ping, keep an executor HEALTHY",
    faults=(77,),
    needs=("list",),
    variants=SIGNS.keys(),
)
async def counts_as_life(world: World, kind: str) -> None:
    """It answers no ping, and gives this one sign of life twice an interval for longer than the ping wait allows."""
    app = await world.app()
    executor = await world.executor(app)
    await healthy(world, executor)
    executor.script(DEAF)
    step_s = seconds(world, "i/2")
    for number in range(int(seconds(world, SILENT_BY) / step_s) + 2):
        if await world.until_closed(executor, within_s=step_s):
            break
        await SIGNS[kind](executor, number)
    alive = any(seen.executor == executor.id and seen.status == "HEALTHY" for seen in await look(world, app))
    world.expect(
        "LIV-17", "value", f"{kind} without pongs",
        name=f"{kind} count as life", value=alive, unit="",
    )  # fmt: skip
