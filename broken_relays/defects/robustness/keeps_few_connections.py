"""There is room for a few: whoever came first has to go."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from websockets.http11 import Request as UpgradeRequest

from broken_relays.defect import defect
from reference_relay.server.connection import Connection as SocketConnection

_ROOM = 25


@defect(
    "keeps-few-connections",
    clauses=("ROB-1",),
    faults=(25,),
    where="server",
    summary="ends its oldest connection when there are more than 25",
)
class KeepsFewConnections(SocketConnection):
    there: ClassVar[list[KeepsFewConnections]] = []

    def accept(self, transport: asyncio.Transport, request: UpgradeRequest, served: set[Any]) -> None:
        super().accept(transport, request, served)
        if self._conn:
            self.there.append(self)
        if len(self.there) > _ROOM:
            self.there[0].end(1013, "no room")

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self in self.there:
            self.there.remove(self)
