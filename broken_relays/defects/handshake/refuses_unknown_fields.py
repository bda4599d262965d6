"""A newer SDK says more than this relay knows, and is not let in."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import fields_of
from reference_relay.core.core import Core
from reference_relay.core.records import ExecutorInfo

KNOWN = {
    "type",
    "request_id",
    "executor_id",
    "application_version",
    "hostname",
    "language",
    "dbos_version",
    "executor_metadata",
    "error_message",
}


@defect(
    "refuses-unknown-fields",
    clauses=("HSK-3",),
    faults=(26,),
    where="core",
    summary="registers nobody whose answer has a field that it does not know",
)
class RefusesUnknownFields(Core):
    def _usable(self, data: bytes) -> ExecutorInfo | None:
        return super()._usable(data) if fields_of(data).keys() <= KNOWN else None
