"""A slash in a name is taken for the end of it."""

from __future__ import annotations

from msgspec.structs import replace

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.events import Call


@defect(
    "cuts-schedule-names",
    clauses=(
        "MSG-get_schedule",
        "MSG-pause_schedule",
        "MSG-resume_schedule",
        "MSG-trigger_schedule",
        "MSG-backfill_schedule",
    ),
    where="core",
    summary="sends the name of a schedule up to its first slash",
)
class CutsScheduleNames(Core):
    def _call(self, event: Call) -> None:
        name = event.fields.get("schedule_name")
        if isinstance(name, str):
            event = replace(event, fields={**event.fields, "schedule_name": name.partition("/")[0]})
        super()._call(event)
