"""Neither the audit log nor the list of surfaced recoveries shows it."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import ExecutorKey


@defect(
    "waits-in-silence", clauses=("REC-27",), faults=(6, 74), where="core", summary="tells nobody that a recovery waits"
)
class WaitsInSilence(Core):
    def _surface(self, key: ExecutorKey, reason: str) -> None:
        """Hush."""
