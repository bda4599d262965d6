"""The end of a connection is no event, only the ping wait is."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.effects import Effect
from reference_relay.core.events import Closed, Event


@defect(
    "overlooks-closed-sockets",
    clauses=("LIV-4",),
    faults=(5,),
    where="core",
    summary="learns of a closed socket only by its silence",
)
class OverlooksClosedSockets(Core):
    def handle(self, event: Event, now_ns: int, now_ms: int = 0) -> list[Effect]:
        return [] if isinstance(event, Closed) else super().handle(event, now_ns, now_ms)
