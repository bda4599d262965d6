"""Nothing ends a handshake that was never answered."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core


@defect(
    "waits-for-ever", clauses=("HSK-9",), where="core", summary="keeps a connection that never answers executor_info"
)
class WaitsForEver(Core):
    def _handshake_due(self, conn: int) -> None:
        """Let it be."""
