"""An alert is done with once it was sent."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import changed
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "delivers-once",
    clauses=("ALR-4",),
    where="core",
    summary="takes an alert for delivered whatever the executor says",
)
class DeliversOnce(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        if pending.type == "alert":
            data, error_message = changed(data, success=True, error_message=None), None
        super()._call_answered(pending, data, error_message)
