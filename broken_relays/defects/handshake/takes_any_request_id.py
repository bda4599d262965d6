"""Before the handshake there is only one request out, so its id is not looked at."""

from __future__ import annotations

from msgspec.structs import replace

from broken_relays.defect import defect
from broken_relays.frames import changed
from reference_relay.core.core import Core
from reference_relay.core.events import Text


@defect(
    "takes-any-request-id",
    clauses=("HSK-5",),
    where="core",
    summary="takes the first answer for the handshake's, whatever its id",
)
class TakesAnyRequestId(Core):
    def _on_text(self, event: Text) -> None:
        connection = self.connections.get(event.conn)
        if connection is not None and connection.executor_id is None:
            for pending in self._requests_on(event.conn):
                event = replace(event, data=changed(event.data, request_id=pending.request_id))
        super()._on_text(event)
