"""The least relay that real executors need: asks executor_info, and has a peer recover whoever went away."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed


class FakeRelay:
    """``grace_s`` after an executor's socket ended, ``recovery`` goes to one peer, and to the next if that one goes."""

    def __init__(self, grace_s: float = 0.5, recovers: bool = True) -> None:
        self.grace_s = grace_s
        self.recovers = recovers
        self.url = ""
        self.infos: list[Mapping[str, Any]] = []
        self.paths: list[str] = []
        self.recovered: list[tuple[str, str]] = []  # dead id, peer id
        self._live: dict[str, ServerConnection] = {}
        self._answers: dict[str, asyncio.Future[Mapping[str, Any]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._numbers = iter(range(1 << 30))

    async def _serve(self, connection: ServerConnection) -> None:
        assert connection.request is not None
        self.paths.append(connection.request.path)
        await connection.send(json.dumps({"type": "executor_info", "request_id": "info"}))
        executor = ""
        with contextlib.suppress(ConnectionClosed):
            async for text in connection:
                message = json.loads(text)
                if message["type"] == "executor_info":
                    self.infos.append(message)
                    executor = message["executor_id"]
                    self._live[executor] = connection
                elif (waiter := self._answers.get(message["request_id"])) is not None:
                    waiter.set_result(message)
        if self._live.get(executor) is connection:
            del self._live[executor]
            if self.recovers:
                task = asyncio.create_task(self._recover(executor))
                self._tasks.add(task)

    async def _recover(self, dead: str) -> None:
        await asyncio.sleep(self.grace_s)  # the grace period itself
        while dead not in self._live:
            for peer, connection in list(self._live.items()):
                request_id = f"recovery-{next(self._numbers)}"
                waiter = self._answers[request_id] = asyncio.get_running_loop().create_future()
                message = {"type": "recovery", "request_id": request_id, "executor_ids": [dead]}
                with contextlib.suppress(ConnectionClosed, TimeoutError):
                    await connection.send(json.dumps(message))
                    if (await asyncio.wait_for(waiter, 2))["success"]:
                        self.recovered.append((dead, peer))
                        return
            await asyncio.sleep(0.05)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[FakeRelay]:
        async with serve(self._serve, "127.0.0.1", 0) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            self.url = f"ws://127.0.0.1:{port}/base"
            try:
                yield self
            finally:
                for task in self._tasks:
                    task.cancel()
