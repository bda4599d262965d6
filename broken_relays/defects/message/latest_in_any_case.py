"""The latest version is reported as set once that was asked for."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import changed
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "latest-in-any-case",
    clauses=("MSG-set_latest_application_version",),
    faults=(26,),
    where="core",
    summary="reports the latest version as set whatever the executor says",
)
class LatestInAnyCase(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        setting = pending.type == "set_latest_application_version"
        super()._call_answered(pending, changed(data, success=True) if setting else data, error_message)
