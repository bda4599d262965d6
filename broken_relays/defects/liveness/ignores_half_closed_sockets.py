"""The end of one direction is not the end of the socket."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.server.connection import Connection as SocketConnection


@defect(
    "ignores-half-closed-sockets",
    clauses=("LIV-4",),
    faults=(53,),
    where="server",
    summary="keeps an executor HEALTHY that has ended its half of the stream",
)
class IgnoresHalfClosedSockets(SocketConnection):
    def eof_received(self) -> bool:
        return True
