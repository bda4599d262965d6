"""A peer that answers pings and no requests holds a recovery up for good."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "no-failover-on-timeout",
    clauses=("REC-9",),
    faults=(2, 19, 52),
    where="core",
    summary="waits for ever for a peer that does not answer",
)
class NoFailoverOnTimeout(Core):
    def _recovery_timed_out(self, pending: Pending) -> None:
        """It may still answer."""
