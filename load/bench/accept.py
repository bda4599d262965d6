"""Accept: CPU of the server from a TCP connection to a registered executor: upgrade, executor_info, registry."""

from __future__ import annotations

import time
from functools import partial

from load.bench.measures import Measure
from load.bench.proc import cpu_ns
from load.bench.samples import Sample
from load.bench.stage import Pins, Side, stage

NAME = "accept"
GOAL = 2.5
IN_FLIGHT = 64
WARM_UP = 100  # connections


def measure(executors: int) -> Measure:
    take = partial(_take, executors=executors)
    return Measure(NAME, f"accept, {executors} executors, {IN_FLIGHT} in flight", "CPU us/op", GOAL, take)


async def _take(side: Side, pinned: Pins, round_: int, *, executors: int) -> Sample:
    async with stage(side, pinned, in_flight=IN_FLIGHT) as running:
        server, client = running.server, running.client
        await client.ask({"connect": WARM_UP})
        await server.ask({"do": "registered", "executors": WARM_UP})
        began_ns, began_s = cpu_ns(server.pid), time.monotonic()
        await client.ask({"connect": executors})
        await server.ask({"do": "registered", "executors": WARM_UP + executors})
        used_ns, took_s = cpu_ns(server.pid) - began_ns, time.monotonic() - began_s
        counts = await client.ask({"counts": None})
    return Sample(
        measure=NAME,
        side=side.name,
        round=round_,
        value=used_ns / executors / 1e3,
        rate=executors / took_s,
        counts={"frames sent by the server per accept": counts["text"] / (WARM_UP + executors)},
    )
