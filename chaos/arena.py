"""The world "chaos": real SDKs of every language on PostgreSQL or SQLite, and a relay that may be broken too."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from chaos import scenarios as scenarios  # importing it fills the catalogue
from chaos.campaign import chaos_timing
from chaos.servers import Servers
from chaos.session import RealSession
from conductor.timing import Timing
from scenarios import worlds
from scenarios.worlds import SessionOptions

__all__ = ["ChaosSession", "scenarios"]


class ChaosSession(RealSession):
    """One relay for all scenarios, which are played one after the other: each may stop it."""

    concurrency: int | None = 1
    world = "chaos"
    owns_relay = True

    def __init__(self, options: SessionOptions, *, grace_s: float = 5.0, store: str = "postgresql") -> None:
        """Raises `UnknownWorld` where the Python SDK is missing, and `MissingPostgres` later, where it is needed."""
        self._grace_s = grace_s
        self._store = store
        self._servers: Servers | None = None
        super().__init__(options)

    def timing(self, options: SessionOptions) -> Timing:
        return chaos_timing(options.profile, options.timing, self._grace_s)

    async def __aenter__(self) -> Self:
        if self._store == "postgresql":
            self._servers = await self.make_servers().__aenter__()
        return await super().__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await super().__aexit__(kind, error, trace)
        finally:
            if self._servers is not None:
                await self._servers.close()

    def make_servers(self) -> Servers:
        return Servers()

    async def servers(self) -> Servers | None:
        return self._servers


worlds.register(ChaosSession.world, ChaosSession)
