"""Metadata of a few kilobytes keeps an executor out."""

from __future__ import annotations

import asyncio
from typing import Any

from websockets.http11 import Request as UpgradeRequest

from broken_relays.defect import defect
from reference_relay.server.connection import Connection as SocketConnection


@defect(
    "tiny-first-frames",
    clauses=("ENV-11",),
    where="server",
    summary="takes no frame of more than 16 KiB before the handshake",
)
class TinyFirstFrames(SocketConnection):
    def accept(self, transport: asyncio.Transport, request: UpgradeRequest, served: set[Any]) -> None:
        super().accept(transport, request, served)
        if self._conn:
            self._protocol.max_message_size = 16 * 1024
