"""An answer is matched by its id, on whichever connection it comes."""

from __future__ import annotations

from msgspec.structs import replace

from broken_relays.defect import defect
from broken_relays.frames import fields_of
from reference_relay.core.core import Core
from reference_relay.core.events import Text


@defect(
    "takes-anybodys-answers",
    clauses=("ENV-4",),
    faults=(67, 77),
    where="core",
    summary="takes an answer that comes on another executor's connection",
)
class TakesAnybodysAnswers(Core):
    def _on_text(self, event: Text) -> None:
        pending = self.pending.get(str(fields_of(event.data).get("request_id")))
        super()._on_text(event if pending is None else replace(event, conn=pending.conn))
