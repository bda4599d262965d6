"""Refusals, timeouts and lost peers leave no entry."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "misses-failures", clauses=("AUD-1",), faults=(86,), where="core", summary="audits only recoveries that succeeded"
)
class MissesFailures(Core):
    def _audit_end(self, pending: Pending, result: str, error: str | None = None) -> None:
        if result in ("success", "late success"):
            super()._audit_end(pending, result, error)
