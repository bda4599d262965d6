"""What the executor could not do is reported as done."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import without
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "error-is-success",
    clauses=("ENV-3",),
    faults=(26, 64),
    where="core",
    summary="overlooks error_message in the answer to a call",
)
class ErrorIsSuccess(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        super()._call_answered(pending, without(data, "error_message"), None)
