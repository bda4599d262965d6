"""How the benchmark drives a server: one JSON command a line on stdin, one JSON answer a line on stdout.

The dispatcher runs inside the server, so that what is measured is a request to an executor and its answer and nothing
else. It is a closed loop: each worker has one request out.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import sys
import time
from collections.abc import Sequence
from typing import Any, Protocol

LOOK_S = 0.01

REQUEST_FIELDS: dict[str, Any] = {
    "body": {
        "workflow_uuids": ["5b7f4c7e-5a0e-4f0e-9d1f-4a9f3d6f1c11", "0c0c5a8e-64f2-4f26-8f0e-2b3b2f7b9a02"],
        "workflow_name": ["place_order"],
        "status": ["PENDING", "ENQUEUED"],
        "application_version": ["9f86d081884c7d65"],
        "limit": 100,
        "sort_desc": True,
        "load_input": False,
        "load_output": False,
    }
}
"""Of the list_workflows request that is dispatched: about 300 bytes with its envelope."""


class Driven(Protocol):
    """A server under the benchmark."""

    def registered(self) -> int:
        """How many executors have answered executor_info and are in the registry."""
        ...

    async def ask(self, worker: int) -> bool:
        """Send one list_workflows request to an executor and wait for its answer. False: no usable answer."""
        ...


class Control:
    """Answers commands until stdin ends: ``registered``, ``dispatch``, ``blocks``."""

    def __init__(self, server: Driven) -> None:
        self._server = server

    async def serve(self) -> None:
        loop = asyncio.get_running_loop()
        lines = asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
        while line := await lines.readline():
            command = json.loads(line)
            answer = await getattr(self, f"_{command.pop('do')}")(**command)
            print(json.dumps(answer), flush=True)

    async def _registered(self, executors: int) -> dict[str, Any]:
        """Wait until so many executors are registered."""
        while self._server.registered() < executors:  # noqa: ASYNC110 - an event would burden what is measured
            await asyncio.sleep(LOOK_S)
        return {"registered": self._server.registered()}

    async def _dispatch(self, workers: int, seconds: float) -> dict[str, Any]:
        """Keep ``workers`` requests under way for so long, then let the last ones end."""
        began_ns = time.monotonic_ns()
        end_ns = began_ns + round(seconds * 1e9)
        counts = await asyncio.gather(*(self._worker(worker, end_ns) for worker in range(workers)))
        answered, failed = (sum(column) for column in zip(*counts, strict=True))
        return {"operations": answered, "failed": failed, "wall_ns": time.monotonic_ns() - began_ns}

    async def _worker(self, worker: int, end_ns: int) -> tuple[int, int]:
        answered = failed = 0
        ask, monotonic_ns = self._server.ask, time.monotonic_ns
        while monotonic_ns() < end_ns:
            if await ask(worker):
                answered += 1
            else:
                failed += 1
        return answered, failed

    async def _blocks(self) -> dict[str, Any]:
        """Memory blocks that the interpreter has handed out, after a collection."""
        gc.collect()
        return {"blocks": sys.getallocatedblocks()}


def arguments(description: str, argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse ``--cpu`` and ``--config``, and pin the process before it starts a thread."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--cpu", type=int, help="run on this processor only")
    parser.add_argument("--config", help="the relay's relay.yaml")
    given = parser.parse_args(argv)
    if given.cpu is not None:
        os.sched_setaffinity(0, {given.cpu})
    return given
