"""The world of a chaos run with everything in containers: its relay, its two PostgreSQL servers, and its workers."""

from __future__ import annotations

import sys
from typing import Self

from chaos.arena import ChaosSession
from chaos.docker.runtime import DockerRuntime
from chaos.servers import Servers
from scenarios.worlds import SessionOptions

__all__ = ["DockerSession"]


class DockerSession(ChaosSession):
    """See `ChaosSession`; the store is PostgreSQL. Nothing of it stays in the engine but the images."""

    def __init__(self, options: SessionOptions, *, grace_s: float = 5.0, store: str = "postgresql") -> None:
        assert store == "postgresql", "containers share no files"
        self._docker = DockerRuntime(tell=lambda text: print(text, file=sys.stderr))
        super().__init__(options, grace_s=grace_s, store=store)

    async def __aenter__(self) -> Self:
        try:
            await self._docker.open()
            self._runtime = self._docker
            chosen = self._options
            self._target = self._docker.relay_target(chosen.profile, chosen.timing, chosen.folder, self.world)
            return await super().__aenter__()
        except BaseException:
            await self._docker.sweep()
            raise

    def make_servers(self) -> Servers:
        return Servers(self._docker.postgres("system"), self._docker.postgres("ledger"))
