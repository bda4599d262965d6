"""A connection that has not said who it is gets the work of the dead."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.events import Opened
from reference_relay.core.records import Purpose


@defect(
    "dispatches-before-the-handshake",
    clauses=("HSK-7",),
    where="core",
    summary="sends a recovery to whoever has just dialled",
)
class DispatchesBeforeTheHandshake(Core):
    def _opened(self, event: Opened) -> None:
        super()._opened(event)
        for executor_id in self.dead.get(event.application, ()):
            self._request(event.conn, "recovery", {"executor_ids": [executor_id]}, Purpose.CALL, self._recovery_ns)
