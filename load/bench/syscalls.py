"""System calls per dispatch, counted by strace where there is one: exact on a noisy machine too."""

from __future__ import annotations

import asyncio
import shutil
import signal

from load.bench.dispatch import WARM_UP_S
from load.bench.stage import Pins, Side, stage

ATTACHED = b"attached"


async def per_dispatch(side: Side, pinned: Pins, *, executors: int, seconds: float) -> float | None:
    """All system calls of all threads of the server per request and answer. None: no strace, or it may not attach."""
    strace = shutil.which("strace")
    if strace is None:
        return None
    async with stage(side, pinned) as running:
        server = running.server
        await running.client.ask({"connect": executors})
        await server.ask({"do": "registered", "executors": executors})
        await server.ask({"do": "dispatch", "workers": executors, "seconds": WARM_UP_S})
        process = await asyncio.create_subprocess_exec(
            strace, "-f", "-c", "-U", "calls,name", "-p", str(server.pid), stderr=asyncio.subprocess.PIPE
        )
        assert process.stderr is not None
        if ATTACHED not in await process.stderr.readline():
            await process.wait()
            return None
        operations: int = (await server.ask({"do": "dispatch", "workers": executors, "seconds": seconds}))["operations"]
        process.send_signal(signal.SIGINT)
        _, summary = await process.communicate()
    return total_calls(summary.decode()) / operations


def total_calls(summary: str) -> int:
    """The sum in strace's table of calls and names."""
    rows = [line.split() for line in summary.splitlines()]
    return sum(int(row[0]) for row in rows if len(row) == 2 and row[0].isdigit() and row[1] != "total")
