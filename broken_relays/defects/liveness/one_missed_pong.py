"""A pong that comes late is none."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core


@defect(
    "one-missed-pong",
    clauses=("LIV-5",),
    faults=(42, 77),
    where="core",
    summary="gives a connection up when one pong is not there before the next ping",
)
class OneMissedPong(Core):
    def _ping_due(self, conn: int) -> None:
        connection = self.connections.get(conn)
        pinged_ns = 0 if connection is None else connection.next_ping_ns - self._interval_ns
        super()._ping_due(conn)
        if connection is not None and connection.executor_id and connection.last_frame_ns < pinged_ns:
            self._close(self.connections[conn], 1011, "a pong is missing")
