"""The ways of one fleet's processes: for each a proxy to the relay and, with a database server, one to that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chaos.proxy import Freeze, Proxy, Toxic

__all__ = ["Links", "Ports"]


@dataclass(frozen=True, slots=True)
class Ports:
    """Where one process dials. ``database`` None: it opens a file."""

    relay: int
    database: int | None


class Links:
    """``database``: the port of the server of the system databases; None: there is none.

    ``listen``: where this host is reached from wherever the workers run.
    """

    def __init__(self, database: int | None, *, listen: str = "127.0.0.1") -> None:
        self._listen = listen
        self._database_port = database
        self._tap = 0
        self._relay: dict[str, Proxy] = {}
        self._database: dict[str, Proxy] = {}
        self._poison: Callable[[], Toxic] | None = None
        self._poisons: list[tuple[Proxy, Toxic]] = []

    async def start(self, tap: int) -> None:
        """``tap``: the port behind which the relay is."""
        self._tap = tap

    async def open(self, label: str, store: str) -> Ports:
        """The proxies of a process that is about to start."""
        relay = self._relay[label] = Proxy("127.0.0.1", self._tap, listen=self._listen)
        await relay.start()
        if self._database_port is None or store == "sqlite":
            return Ports(relay.port, None)
        database = self._database[label] = Proxy("127.0.0.1", self._database_port, listen=self._listen)
        await database.start()
        if self._poison is not None:
            self._put(database, self._poison())
        return Ports(relay.port, database.port)

    def relay(self, label: str) -> Proxy:
        return self._relay[label]

    def poison(self, make: Callable[[], Toxic]) -> None:
        """A toxic of its own for each way to the database, of processes that come later too."""
        self.heal()
        self._poison = make
        for proxy in self._database.values():
            self._put(proxy, make())

    def freeze(self, label: str) -> None:
        """Only this process's way to the database, until `heal`."""
        self._put(self._database[label], Freeze())

    def heal(self) -> None:
        self._poison = None
        while self._poisons:
            proxy, toxic = self._poisons.pop()
            proxy.remove(toxic)

    async def stop(self) -> None:
        for proxy in (*self._relay.values(), *self._database.values()):
            await proxy.stop()

    def _put(self, proxy: Proxy, toxic: Toxic) -> None:
        proxy.add(toxic)
        self._poisons.append((proxy, toxic))
