"""Java sends each 128 KiB as a fragment of its own."""

from __future__ import annotations

from websockets.frames import Frame

from broken_relays.defect import defect
from reference_relay.server.connection import Connection as SocketConnection


@defect(
    "refuses-fragments",
    clauses=("ENV-10",),
    where="server",
    summary="closes a connection that sends a message in fragments",
)
class RefusesFragments(SocketConnection):
    def _on_frame(self, frame: Frame) -> None:
        if frame.fin:
            super()._on_frame(frame)
        else:
            self.end(1003, "fragments are not supported")
