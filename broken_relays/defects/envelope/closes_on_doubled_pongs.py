"""Java answers each ping twice (measured)."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.config import CoreConfig
from reference_relay.core.core import Core
from reference_relay.core.events import Ping, Pong, Progress
from reference_relay.core.records import Connection


@defect(
    "closes-on-doubled-pongs",
    clauses=("ENV-10",),
    faults=(77,),
    where="core",
    summary="closes a connection whose pong it did not ask for",
)
class ClosesOnDoubledPongs(Core):
    def __init__(self, config: CoreConfig | None = None) -> None:
        super().__init__(config)
        self._awaited: set[int] = set()

    def _ping_due(self, conn: int) -> None:
        super()._ping_due(conn)
        self._awaited.add(conn)

    def _on_control(self, connection: Connection, event: Pong | Ping | Progress) -> None:
        if isinstance(event, Pong) and connection.conn not in self._awaited:
            self._close(connection, 1002, "a pong that answers nothing")
            return
        if isinstance(event, Pong):
            self._awaited.discard(connection.conn)
        super()._on_control(connection, event)
