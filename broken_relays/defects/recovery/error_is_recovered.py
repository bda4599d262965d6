"""``success`` alone counts, also beside an error."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import without
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "error-is-recovered",
    clauses=("REC-7",),
    faults=(26,),
    where="core",
    summary="overlooks error_message in the answer to a recovery",
)
class ErrorIsRecovered(Core):
    def _recovery_answered(self, pending: Pending, data: bytes) -> None:
        super()._recovery_answered(pending, without(data, "error_message"))
