"""What was paid for is done again."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from reference_relay.core.core import Core


@defect(
    "forks-from-the-first-step",
    clauses=("MSG-fork_workflow",),
    where="core",
    summary="forks a workflow from its first step, whichever was chosen",
)
class ForksFromTheFirstStep(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        if type_ == "fork_workflow":
            fields = {**fields, "body": {**fields["body"], "start_step": 0}}
        return super()._encode(type_, request_id, fields)
