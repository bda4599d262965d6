"""It does not wait to know whom it talks to."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.events import Opened
from reference_relay.core.records import Purpose


@defect(
    "asks-before-the-handshake",
    clauses=("HSK-7",),
    where="core",
    summary="sends a second request while executor_info is unanswered",
)
class AsksBeforeTheHandshake(Core):
    def _opened(self, event: Opened) -> None:
        super()._opened(event)
        if event.conn in self.connections:
            self._request(event.conn, "list_application_versions", {}, Purpose.CALL, self._request_ns)
