"""Whoever speaks first is taken to say who it is."""

from __future__ import annotations

from msgspec.structs import replace

from broken_relays.defect import defect
from broken_relays.frames import changed
from reference_relay.core.core import Core
from reference_relay.core.events import Text


@defect(
    "takes-any-first-frame",
    clauses=("HSK-5",),
    where="core",
    summary="takes the first frame for the handshake's answer, whatever its type and id",
)
class TakesAnyFirstFrame(Core):
    def _on_text(self, event: Text) -> None:
        connection = self.connections.get(event.conn)
        if connection is not None and connection.executor_id is None:
            for pending in self._requests_on(event.conn):
                data = changed(event.data, type=pending.type, request_id=pending.request_id)
                event = replace(event, data=data)
        super()._on_text(event)
