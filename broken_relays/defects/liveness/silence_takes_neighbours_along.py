"""One silent executor disconnects the others."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core


@defect(
    "silence-takes-neighbours-along",
    clauses=("LIV-14",),
    faults=(40,),
    where="core",
    summary="gives up all connections of an application with one",
)
class SilenceTakesNeighboursAlong(Core):
    def _silence_due(self, conn: int) -> None:
        silent = self.connections.get(conn)
        super()._silence_due(conn)
        if silent is not None and conn not in self.connections:
            for other in self.connections_of(silent.application):
                self._close(self.connections[other], 1011, "the application is silent")
