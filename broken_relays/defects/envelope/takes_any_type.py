"""The type of an answer is not compared with the request's."""

from __future__ import annotations

from msgspec.structs import replace

from broken_relays.defect import defect
from broken_relays.frames import changed, fields_of
from reference_relay.core.core import Core
from reference_relay.core.events import Text


@defect(
    "takes-any-type",
    clauses=("ENV-5",),
    faults=(26,),
    where="core",
    summary="completes a request by its id, whatever type the answer has",
)
class TakesAnyType(Core):
    def _on_text(self, event: Text) -> None:
        pending = self.pending.get(str(fields_of(event.data).get("request_id")))
        if pending is not None and pending.conn == event.conn:
            event = replace(event, data=changed(event.data, type=pending.type))
        super()._on_text(event)
