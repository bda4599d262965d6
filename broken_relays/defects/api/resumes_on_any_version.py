"""An old version resumes what only the latest one can."""

from __future__ import annotations

from msgspec.structs import replace

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.events import Call


@defect(
    "resumes-on-any-version",
    clauses=("API-7",),
    where="core",
    summary="has any executor resume a workflow",
)
class ResumesOnAnyVersion(Core):
    def _call(self, event: Call) -> None:
        super()._call(replace(event, version=None) if event.type == "resume" else event)
