"""Memory: growth of the server's resident memory per idle, registered executor."""

from __future__ import annotations

import asyncio
from functools import partial

from load.bench.measures import Measure
from load.bench.proc import resident_bytes
from load.bench.samples import Sample
from load.bench.stage import Pins, Side, stage

NAME = "memory"
GOAL = 0.8
IN_FLIGHT = 64
WARM_UP = 100  # connections: what is imported or grown once is no executor's
SETTLE_S = 0.2


def measure(executors: int) -> Measure:
    take = partial(_take, executors=executors)
    return Measure(NAME, f"memory, {executors} idle executors", "KiB/executor", GOAL, take)


async def _take(side: Side, pinned: Pins, round_: int, *, executors: int) -> Sample:
    async with stage(side, pinned, in_flight=IN_FLIGHT) as running:
        server, client = running.server, running.client
        sizes, blocks = [], []
        for total, more in ((WARM_UP, WARM_UP), (WARM_UP + executors, executors)):
            await client.ask({"connect": more})
            await server.ask({"do": "registered", "executors": total})
            await asyncio.sleep(SETTLE_S)  # what is under way is no part of an idle executor
            blocks.append((await server.ask({"do": "blocks"}))["blocks"])
            sizes.append(resident_bytes(server.pid))
    return Sample(
        measure=NAME,
        side=side.name,
        round=round_,
        value=(sizes[1] - sizes[0]) / executors / 1024,
        rate=0.0,
        counts={"allocated blocks per idle executor": (blocks[1] - blocks[0]) / executors},
    )
