"""The two PostgreSQL servers of a run: one that faults may break, and one for the ledger, which they may not."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

from chaos.evidence import PostgresStore
from chaos.postgres import PostgresServer

__all__ = ["Servers"]


class Servers:
    """``async with Servers() as servers``: both run until the end."""

    def __init__(self, system: PostgresServer | None = None, ledger: PostgresServer | None = None) -> None:
        """None: a temporary cluster of this host's own. Raises `MissingPostgres`."""
        self.system = system or PostgresServer()
        self.ledger = ledger or PostgresServer()

    def store(self, database: str) -> PostgresStore:
        """A fleet's view of this database."""
        return PostgresStore(self.system, self.ledger, database)

    async def __aenter__(self) -> Self:
        try:
            async with asyncio.TaskGroup() as group:
                for server in (self.system, self.ledger):
                    group.create_task(server.__aenter__())
        except ExceptionGroup as failures:
            await self.close()
            raise failures.exceptions[0] from None
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await asyncio.gather(self.system.close(), self.ledger.close())
