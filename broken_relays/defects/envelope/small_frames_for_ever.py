"""A long list of workflows ends the connection."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.server.connection import Connection as SocketConnection


@defect(
    "small-frames-for-ever",
    clauses=("ENV-11",),
    where="server",
    summary="keeps the frame limit of the handshake afterwards",
)
class SmallFramesForEver(SocketConnection):
    def trust(self) -> None:
        """The limit stays."""
