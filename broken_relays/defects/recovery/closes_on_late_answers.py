"""A peer that was slow is thrown out when it has done the work."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import fields_of
from reference_relay.core.core import Core
from reference_relay.core.events import Text


@defect(
    "closes-on-late-answers",
    clauses=("REC-17",),
    faults=(19, 77),
    where="core",
    summary="closes the connection that answers a recovery too late",
)
class ClosesOnLateAnswers(Core):
    def _on_text(self, event: Text) -> None:
        late = str(fields_of(event.data).get("request_id")) in self.late
        super()._on_text(event)
        if late and (connection := self.connections.get(event.conn)):
            self._close(connection, 1002, "too late")
