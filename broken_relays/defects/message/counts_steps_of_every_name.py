"""The filter has the name that the API has for it, and SDKs ignore it."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from broken_relays.frames import changed
from reference_relay.core.core import Core


@defect(
    "counts-steps-of-every-name",
    clauses=("MSG-get_step_aggregates",),
    where="core",
    summary="sends the names of steps to count under step_name",
)
class CountsStepsOfEveryName(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        data = super()._encode(type_, request_id, fields)
        if type_ != "get_step_aggregates":
            return data
        body = {("step_name" if name == "function_name" else name): value for name, value in fields["body"].items()}
        return changed(data, body=body)
