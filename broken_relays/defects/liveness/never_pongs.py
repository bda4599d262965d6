"""The SDKs ping every 20 s and give the connection up when nothing comes back."""

from __future__ import annotations

from websockets.frames import PONG

from broken_relays.defect import defect
from reference_relay.server.connection import Connection as SocketConnection


@defect("never-pongs", clauses=("LIV-2",), where="server", summary="answers no ping of an executor")
class NeverPongs(SocketConnection):
    def _flush(self, *, data: bool) -> None:
        self._protocol.writes = [piece for piece in self._protocol.writes if not piece or piece[0] & 0x0F != PONG]
        super()._flush(data=data)
