"""Whatever passes the connection renews it, in whichever direction."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core


@defect(
    "own-pings-are-life",
    clauses=("LIV-3",),
    faults=(52,),
    where="core",
    summary="takes its own pings for signs of life",
)
class OwnPingsAreLife(Core):
    def _ping_due(self, conn: int) -> None:
        super()._ping_due(conn)
        if connection := self.connections.get(conn):
            self._alive(connection)
