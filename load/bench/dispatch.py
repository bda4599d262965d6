"""Dispatch: CPU of the server for one request to an executor and its answer, in a closed loop."""

from __future__ import annotations

from functools import partial

from load.bench.errors import BenchError
from load.bench.measures import Measure
from load.bench.proc import cpu_ns
from load.bench.samples import Sample
from load.bench.stage import Pins, Side, stage

NAME = "dispatch"
GOAL = 1.5
WARM_UP_S = 0.3


def measure(executors: int, seconds: float) -> Measure:
    """As many requests under way as there are executors."""
    take = partial(_take, executors=executors, seconds=seconds)
    return Measure(NAME, f"dispatch, {executors} executors", "CPU us/op", GOAL, take)


async def _take(side: Side, pinned: Pins, round_: int, *, executors: int, seconds: float) -> Sample:
    async with stage(side, pinned) as running:
        server, client = running.server, running.client
        await client.ask({"connect": executors})
        await server.ask({"do": "registered", "executors": executors})
        await server.ask({"do": "dispatch", "workers": executors, "seconds": WARM_UP_S})
        before = await client.ask({"counts": None})
        began_ns = cpu_ns(server.pid)
        done = await server.ask({"do": "dispatch", "workers": executors, "seconds": seconds})
        used_ns = cpu_ns(server.pid) - began_ns
        after = await client.ask({"counts": None})
    operations = done["operations"]
    if done["failed"] or not operations:
        raise BenchError(f"{side.name}: {done['failed']} of {operations + done['failed']} dispatches had no answer")
    return Sample(
        measure=NAME,
        side=side.name,
        round=round_,
        value=used_ns / operations / 1e3,
        rate=operations * 1e9 / done["wall_ns"],
        counts={"frames sent by the server per dispatch": (after["text"] - before["text"]) / operations},
    )
