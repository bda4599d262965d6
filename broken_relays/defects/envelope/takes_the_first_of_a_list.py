"""A list under the right id is as good as the one record that was asked for."""

from __future__ import annotations

from msgspec.structs import replace

from broken_relays.defect import defect
from broken_relays.frames import changed, fields_of
from reference_relay.core.core import Core
from reference_relay.core.events import Text


@defect(
    "takes-the-first-of-a-list",
    clauses=("ENV-5",),
    faults=(26,),
    where="core",
    summary="completes get_workflow with the first row of any list under its id",
)
class TakesTheFirstOfAList(Core):
    def _on_text(self, event: Text) -> None:
        fields = fields_of(event.data)
        pending, rows = self.pending.get(str(fields.get("request_id"))), fields.get("output")
        if pending is not None and pending.type == "get_workflow" and isinstance(rows, list) and rows:
            event = replace(event, data=changed(event.data, type=pending.type, output=rows[0]))
        super()._on_text(event)
