"""A client that compares the payload takes the answer for none."""

from __future__ import annotations

from websockets.frames import PONG

from broken_relays.defect import defect
from reference_relay.server.connection import Connection as SocketConnection

EMPTY_PONG = bytes((0x80 | PONG, 0))


@defect("pongs-without-payload", clauses=("LIV-2",), where="server", summary="answers a ping with an empty pong")
class PongsWithoutPayload(SocketConnection):
    def _flush(self, *, data: bool) -> None:
        writes = self._protocol.writes
        self._protocol.writes = [EMPTY_PONG if piece and piece[0] & 0x0F == PONG else piece for piece in writes]
        super()._flush(data=data)
