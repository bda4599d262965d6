"""One peer that does not answer stops all verdicts."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.config import NS
from reference_relay.core.core import Core
from reference_relay.core.records import ExecutorKey, Purpose
from reference_relay.core.timers import Timer


@defect(
    "waits-for-dispatches",
    clauses=("LIV-7",),
    faults=(40,),
    where="core",
    summary="declares nobody DEAD while a recovery is under way",
)
class WaitsForDispatches(Core):
    def _grace_due(self, key: ExecutorKey) -> None:
        if any(pending.purpose is Purpose.RECOVERY for pending in self.pending.values()):
            self._arm(Timer.GRACE, key, self._now_ns + NS)
        else:
            super()._grace_due(key)
