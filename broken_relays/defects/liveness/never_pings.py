"""A proxy between it and the executor sees an idle connection, and cuts it."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core


@defect("never-pings", clauses=("LIV-1",), faults=(53,), where="core", summary="sends no pings")
class NeverPings(Core):
    def _ping_due(self, conn: int) -> None:
        """Not now."""
