"""An executor with nothing to say is given up."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.events import Ping, Pong, Progress
from reference_relay.core.records import Connection


@defect(
    "wants-data", clauses=("LIV-5",), faults=(42,), where="core", summary="counts data frames as life, and no pongs"
)
class WantsData(Core):
    def _on_control(self, connection: Connection, event: Pong | Ping | Progress) -> None:
        """Say something."""
