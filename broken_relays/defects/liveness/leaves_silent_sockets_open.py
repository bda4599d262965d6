"""The SDK behind it never learns that it must dial again."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core


@defect(
    "leaves-silent-sockets-open",
    clauses=("LIV-3",),
    where="core",
    summary="lists a silent executor as DISCONNECTED and leaves its socket open",
)
class LeavesSilentSocketsOpen(Core):
    def _silence_due(self, conn: int) -> None:
        connection = self.connections.get(conn)
        if connection is not None and self._silent_at_ns(connection) <= self._now_ns:
            self._lost(connection, "silent")
        else:
            super()._silence_due(conn)
