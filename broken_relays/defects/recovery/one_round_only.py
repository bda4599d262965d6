"""Peers that refused for a moment are not asked again while they stay."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import ExecutorKey


@defect(
    "one-round-only",
    clauses=("REC-12",),
    faults=(74,),
    where="core",
    summary="asks each candidate once, and again only when somebody joins",
)
class OneRoundOnly(Core):
    def _backoff_due(self, key: ExecutorKey) -> None:
        """Once was enough."""
