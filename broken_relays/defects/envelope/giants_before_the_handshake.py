"""Whoever has not even said who it is may send 100 MiB."""

from __future__ import annotations

import asyncio
from typing import Any

from websockets.http11 import Request as UpgradeRequest

from broken_relays.defect import defect
from reference_relay.server.connection import Connection as SocketConnection


@defect(
    "giants-before-the-handshake",
    clauses=("ENV-11",),
    where="server",
    summary="takes frames of any size before the handshake",
)
class GiantsBeforeTheHandshake(SocketConnection):
    def accept(self, transport: asyncio.Transport, request: UpgradeRequest, served: set[Any]) -> None:
        super().accept(transport, request, served)
        if self._conn:
            self.trust()
