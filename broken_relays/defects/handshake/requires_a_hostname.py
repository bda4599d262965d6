"""An optional field is demanded."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import ExecutorInfo


@defect(
    "requires-a-hostname",
    clauses=("HSK-3",),
    faults=(26,),
    where="core",
    summary="registers nobody who says no hostname",
)
class RequiresAHostname(Core):
    def _usable(self, data: bytes) -> ExecutorInfo | None:
        info = super()._usable(data)
        return None if info is None or info.hostname is None else info
