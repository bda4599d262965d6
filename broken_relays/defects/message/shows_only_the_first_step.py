"""Rows of an answer are lost."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import changed, fields_of
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "shows-only-the-first-step",
    clauses=("MSG-list_steps",),
    where="core",
    summary="shows the first step of a workflow and no other",
)
class ShowsOnlyTheFirstStep(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        output = fields_of(data).get("output")
        if pending.type == "list_steps" and isinstance(output, list):
            data = changed(data, output=output[:1])
        super()._call_answered(pending, data, error_message)
