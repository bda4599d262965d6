"""What is no whole upgrade is the client's mistake, but reads like the relay's."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.server.connection import Connection as SocketConnection
from reference_relay.server.gate import Refused


@defect("broken-upgrade-is-500", clauses=("CON-7",), where="server", summary="answers 500 to a broken upgrade")
class BrokenUpgradeIs500(SocketConnection):
    def _refuse(self, refused: Refused) -> None:
        super()._refuse(Refused(500, "internal error") if refused.status in (400, 405, 426) else refused)
