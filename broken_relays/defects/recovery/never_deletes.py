"""The dead stay listed, and are recovered again after each restart."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import ExecutorKey


@defect(
    "never-deletes", clauses=("REC-6",), faults=(48,), where="core", summary="keeps the record of a recovered executor"
)
class NeverDeletes(Core):
    def _delete_recovered(self, key: ExecutorKey, *, verified: bool) -> None:
        """Keep it."""
