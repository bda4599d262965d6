"""The world that real scenarios see: a wire world that also launches fleets of real executors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from chaos.fleet import Fleet, Place
from chaos.runtime import Runtime
from evidence.history import Recorder
from scenarios.http import HttpClient
from scenarios.targets import Target
from scenarios.wire.tenants import Names
from scenarios.wire.world import WireWorld
from scenarios.world import App, RelayControl
from scenarios.worlds import SessionOptions
from sdk_matrix.languages import worker

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
        relay: RelayControl,
        names: Names,
        now_ns: Callable[[], int],
        runtime: Runtime,
        folder: Path,
    ) -> None:
        """``folder`` takes what the fleets' workers write; the rest is as for a `WireWorld`."""
        super().__init__(
            options=options, recorder=recorder, client=client, target=target, relay=relay, names=names, now_ns=now_ns
        )
        self._runtime = runtime
        self._folder = folder
        self._fleets: list[Fleet] = []

    async def fleet(self, app: App) -> Fleet:
        """Real executors of this application on one system database of their own, none launched yet."""
        place = Place(
            relay_url="ws" + self.relay_url().removeprefix("http"),
            key=self.socket_key(app),
            org=app.org,
            app=app.name,
        )
        folder = self._folder / f"fleet-{len(self._fleets) + 1}"
        fleet = Fleet(place, worker(LANGUAGE), self._runtime, folder, self.recorder, self.next_conn)
        self._fleets.append(fleet)
        return fleet

    def socket_key(self, app: App) -> str:
        return self._tenant(app.org).socket_key

    async def close(self) -> None:
        for fleet in self._fleets:
            await fleet.close()
        await super().close()
