"""A step forward disconnects everybody who is alive."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.config import CoreConfig
from reference_relay.core.core import Core
from reference_relay.core.records import Connection


@defect(
    "silence-by-the-wall-clock",
    clauses=("LIV-16",),
    faults=(38, 58),
    where="core",
    summary="measures silence on the wall clock",
)
class SilenceByTheWallClock(Core):
    def __init__(self, config: CoreConfig | None = None) -> None:
        super().__init__(config)
        self._heard_ms: dict[int, int] = {}

    def _alive(self, connection: Connection) -> Connection:
        self._heard_ms[connection.conn] = self._now_ms
        return super()._alive(connection)

    def _ping_due(self, conn: int) -> None:
        super()._ping_due(conn)
        connection = self.connections.get(conn)
        heard_ms = self._heard_ms.get(conn, self._now_ms)
        if connection is not None and (self._now_ms - heard_ms) * 1_000_000 > self._wait_ns:
            self._close(connection, 1011, "silent for longer than the ping wait")
