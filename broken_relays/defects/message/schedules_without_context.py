"""What a schedule hands to its workflows is not asked for."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from reference_relay.core.core import Core


@defect(
    "schedules-without-context",
    clauses=("MSG-list_schedules", "MSG-get_schedule"),
    where="core",
    summary="never asks for the context of a schedule",
)
class SchedulesWithoutContext(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        if type_ == "get_schedule":
            fields = {**fields, "load_context": False}
        if type_ == "list_schedules":
            fields = {**fields, "body": {**fields["body"], "load_context": False}}
        return super()._encode(type_, request_id, fields)
