"""Two connections of one executor stay, each asked for pongs."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core


@defect(
    "keeps-the-older-socket",
    clauses=("LIV-18",),
    faults=(55,),
    where="core",
    summary="leaves the older of two sockets open",
)
class KeepsTheOlderSocket(Core):
    def _supersede(self, conn: int) -> None:
        """Let it be."""
