"""Whoever waits for an executor that has gone waits for ever."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "waiter-leak",
    clauses=("ENV-8",),
    faults=(24, 45),
    where="core",
    summary="forgets the callers of an executor that leaves, and their deadlines",
)
class WaiterLeak(Core):
    def _call_failed(self, pending: Pending, error: str) -> None:
        """Nobody is told."""

    def _call_timed_out(self, call_id: int) -> None:
        """Nor here."""
