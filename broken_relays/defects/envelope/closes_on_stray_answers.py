"""An answer to nothing is taken for an attack."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import fields_of
from reference_relay.core.core import Core
from reference_relay.core.events import Text


@defect(
    "closes-on-stray-answers",
    clauses=("ENV-4",),
    faults=(77,),
    where="core",
    summary="closes the connection that an unasked answer comes on",
)
class ClosesOnStrayAnswers(Core):
    def _on_text(self, event: Text) -> None:
        connection = self.connections.get(event.conn)
        request_id = str(fields_of(event.data).get("request_id"))
        if connection is not None and request_id not in self.pending and request_id not in self.late:
            self._close(connection, 1002, "nothing was asked")
        super()._on_text(event)
