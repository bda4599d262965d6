"""A recovery whose peer dies is never taken up again."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Pending, Purpose


@defect(
    "no-failover-on-loss",
    clauses=("REC-8",),
    faults=(13, 45),
    where="core",
    summary="goes on waiting for a peer that is gone",
)
class NoFailoverOnLoss(Core):
    def _request_lost(self, pending: Pending) -> None:
        if pending.purpose is not Purpose.RECOVERY:
            super()._request_lost(pending)
