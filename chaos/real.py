"""The world that real scenarios see: a wire world that also launches fleets of real executors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from chaos.fleet import Fleet, Place
from chaos.runtime import Runtime
from scenarios.wire.world import WireWorld
from scenarios.world import App
from sdk_matrix.languages import worker

__all__ = ["LANGUAGE", "RealWorld"]

LANGUAGE = "python"


class RealWorld(WireWorld):
    """A wire world that also has fleets of real executors."""

    name = "real"

    def __init__(self, *, folder: Path, runtime: Runtime, **parts: Any) -> None:
        """``parts`` are those of a `WireWorld`; ``folder`` takes what the fleets' workers write."""
        super().__init__(**parts)
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
