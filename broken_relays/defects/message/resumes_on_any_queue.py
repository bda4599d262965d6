"""An option of the call does not reach the executor."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from reference_relay.core.core import Core


@defect(
    "resumes-on-any-queue",
    clauses=("MSG-resume",),
    where="core",
    summary="resumes without the queue that the caller named",
)
class ResumesOnAnyQueue(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        if type_ == "resume":
            fields = {name: value for name, value in fields.items() if name != "queue_name"}
        return super()._encode(type_, request_id, fields)
