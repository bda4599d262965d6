"""PostgreSQL in a container: the same server to whoever uses it, kept over kill and start in a volume of its own."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Literal, Self

import psycopg

from chaos.errors import DatabaseGone
from chaos.postgres import PostgresServer
from scenarios.targets import image_engine
from scenarios.targets.process import free_port

__all__ = ["PORT", "PostgresContainer"]

PORT = 5432
"""Where it listens in its container."""
_READY_S = 60.0
_LOOK_S = 0.05
_SIGNALS = {"fast": "SIGINT", "immediate": "SIGQUIT"}
# Durable against a crash of the server, not of the host: the volume outlives the container's processes.
_SETTINGS = {
    "fsync": "off", "full_page_writes": "off", "shared_buffers": "64MB", "jit": "off", "max_wal_size": "4GB",
    "autovacuum_naptime": "1h", "log_min_messages": "fatal",
}  # fmt: skip


class PostgresContainer(PostgresServer):
    """A `PostgresServer` whose cluster is in a container of this image. Its host port stays the same over restarts."""

    def __init__(self, engine: Any, image: str, *, run: str, name: str, network: str, inner: Any = None) -> None:
        """Not the parent's: it looks for binaries on this host.

        ``network``: its port is published from there. ``inner``: a further one, where workers reach it.
        """
        self._engine = engine
        self._image = image
        self._run_name = run
        self._name = f"relayproof-{run}-{name}"
        self._network = network
        self._inner = inner
        self._container: Any = None
        self._up = False
        self._databases: set[str] = set()
        self.port = 0

    async def __aenter__(self) -> Self:
        try:
            self._container = await self._call(self._create)
            await self.start()
        except BaseException:
            await self.close()
            raise
        return self

    @property
    def running(self) -> bool:
        return self._up

    @property
    def address(self) -> str:
        """Where workers reach it; valid once it was started, and as long as it is not stopped."""
        network = self._network if self._inner is None else self._inner.name
        found: str = self._container.attrs["NetworkSettings"]["Networks"][network]["IPAddress"]
        return found

    async def start(self) -> None:
        await self._call(self._container.start)
        await self._call(self._container.reload)
        self._up = True
        deadline_s = time.monotonic() + _READY_S
        while not await self._answers():
            if time.monotonic() > deadline_s:
                logged: bytes = await self._call(lambda: self._container.logs(tail=10))
                raise DatabaseGone(f"PostgreSQL did not start in its container: {logged.decode(errors='replace')}")
            await asyncio.sleep(_LOOK_S)

    async def stop(self, mode: Literal["fast", "immediate"] = "fast") -> None:
        if not self._up:
            return
        await self._call(lambda: self._container.kill(signal=_SIGNALS[mode]))
        await self._call(self._container.wait)
        self._up = False

    async def pause(self) -> None:
        await self._call(self._container.pause)

    async def resume(self) -> None:
        await self._call(self._container.unpause)

    async def close(self) -> None:
        if self._container is not None:
            await self._call(lambda: self._container.remove(force=True, v=True))
            self.forget()

    def forget(self) -> None:
        """Its container is gone already, with the rest of the run."""
        self._container, self._up = None, False

    def _create(self) -> Any:
        self.port = free_port()
        container = self._engine.containers.create(
            self._image,
            [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")],
            name=self._name,
            labels=image_engine.labels(self._run_name),
            network=self._network,
            ports={f"{PORT}/tcp": ("127.0.0.1", self.port)},
            init=True,
            shm_size="256m",
        )
        if self._inner is not None:
            self._inner.connect(container)
        return container

    async def _answers(self) -> bool:
        try:
            await self.execute("postgres", "SELECT 1")
        except (DatabaseGone, psycopg.Error):
            return False
        return True

    async def _call(self, act: Any) -> Any:
        return await image_engine.call("the container of PostgreSQL", act)
