"""What they had in hand never ends."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import ExecutorKey


@defect(
    "never-recovers",
    clauses=("REC-1", "OUT-1"),
    faults=(12, 28, 74),
    where="core",
    summary="declares executors DEAD and asks nobody to recover them",
)
class NeverRecovers(Core):
    def _seek_peer(self, key: ExecutorKey) -> None:
        """Nobody is asked."""
