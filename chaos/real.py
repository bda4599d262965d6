"""The world that real scenarios see: a wire world that also launches fleets of real executors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from chaos.fleet import Fleet, Place
from chaos.links import Links
from chaos.runtime import Runtime
from chaos.servers import Servers
from evidence.history import Recorder
from scenarios.http import HttpClient
from scenarios.targets import Target
from scenarios.wire.relay import WireRelay
from scenarios.wire.tenants import Names
from scenarios.wire.world import WireWorld
from scenarios.world import App
from scenarios.worlds import SessionOptions
from sdk_matrix.languages import Worker, worker

__all__ = ["LANGUAGE", "RealWorld"]

LANGUAGE = "python"


class RealWorld(WireWorld):
    """A wire world that also has fleets of real executors."""

    name = "real"

    def __init__(
        self,
        *,
        options: SessionOptions,
        recorder: Recorder,
        client: HttpClient,
        target: Target,
        relay: WireRelay,
        names: Names,
        now_ns: Callable[[], int],
        runtime: Runtime,
        folder: Path,
        servers: Servers | None = None,
    ) -> None:
        """``folder`` takes what the fleets' workers write; the rest is as for a `WireWorld`.

        ``servers`` None: fleets are on SQLite, and their workers dial tap and file themselves.
        """
        super().__init__(
            options=options, recorder=recorder, client=client, target=target, relay=relay, names=names, now_ns=now_ns
        )
        self._runtime = runtime
        self._folder = folder
        self.servers = servers
        self.own_relay = relay
        self._fleets: list[Fleet] = []

    @property
    def runtime(self) -> str:
        """Name of the runtime that its workers live in: which faults there are."""
        return self._runtime.name

    async def fleet(
        self, app: App, kind: Worker | None = None, *, version: str = "v1", links: bool = False,
        beside: Fleet | None = None,
    ) -> Fleet:  # fmt: skip
        """Real executors of this application on one system database, none launched yet.

        ``kind`` None: Python. With servers the fleet has a database of its own there, or shares that of the fleet
        ``beside``; ``links``: its connections can be broken.
        """
        own = kind or worker(LANGUAGE)
        place = Place(
            relay_url="ws" + self.relay_url().removeprefix("http"),
            key=self.socket_key(app),
            org=app.org,
            app=app.name,
            version=version,
        )
        number = len(self._fleets) + 1
        folder = self._folder / f"fleet-{number}"
        store = None
        if self.servers is not None and beside is None:
            store = self.servers.store(f"{own.language}_{self._names.prefix.replace('-', '_')}_{number}")
        port = self.servers.system.port if self.servers is not None else None
        ways = Links(port, listen=self._runtime.host) if links else None
        fleet = Fleet(
            place, own, self._runtime, folder, self.recorder, self.next_conn, store=store, links=ways, beside=beside
        )
        self._fleets.append(fleet)
        return fleet

    def socket_key(self, app: App) -> str:
        return self._tenant(app.org).socket_key

    async def close(self) -> None:
        for fleet in self._fleets:
            await fleet.close()
        await super().close()
