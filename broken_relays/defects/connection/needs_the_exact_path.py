"""The path must be the documented one to the letter, whatever users put in front of it."""

from __future__ import annotations

from websockets.http11 import Request as UpgradeRequest

from broken_relays.defect import defect
from reference_relay.server.connection import Connection as SocketConnection
from reference_relay.server.gate import Admitted, Refused


@defect(
    "needs-the-exact-path",
    clauses=("CON-9",),
    where="server",
    summary="knows its endpoint under no base path and with no doubled slash",
)
class NeedsTheExactPath(SocketConnection):
    def _judge(self, request: UpgradeRequest) -> Admitted | Refused:
        if not request.path.startswith("/websocket/"):
            return Refused(404, "no such path")
        return super()._judge(request)
