"""An executor whose network has vanished is HEALTHY for ever."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core


@defect(
    "ignores-missing-pongs",
    clauses=("LIV-3",),
    faults=(5, 69),
    where="core",
    summary="never gives a silent connection up",
)
class IgnoresMissingPongs(Core):
    def _silence_due(self, conn: int) -> None:
        """It may come back."""
