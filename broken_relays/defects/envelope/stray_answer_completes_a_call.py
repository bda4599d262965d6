"""A late or doubled answer completes somebody else's request."""

from __future__ import annotations

from msgspec.structs import replace

from broken_relays.defect import defect
from broken_relays.frames import changed, fields_of
from reference_relay.core.core import Core
from reference_relay.core.events import Text


@defect(
    "stray-answer-completes-a-call",
    clauses=("ENV-4",),
    faults=(77,),
    where="core",
    summary="takes a stray answer for that of the oldest request of its type",
)
class StrayAnswerCompletesACall(Core):
    def _on_text(self, event: Text) -> None:
        said = fields_of(event.data)
        connection = self.connections.get(event.conn)
        if connection is not None and connection.executor_id is not None and said.get("request_id") not in self.pending:
            for pending in self._requests_on(event.conn):
                if pending.type == said.get("type"):
                    event = replace(event, data=changed(event.data, request_id=pending.request_id))
                    break
        super()._on_text(event)
