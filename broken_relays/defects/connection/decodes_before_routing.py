"""An encoded slash becomes a separator: the whole path is decoded first, as WSGI servers do."""

from __future__ import annotations

import dataclasses
from urllib.parse import unquote

from websockets.http11 import Request as UpgradeRequest

from broken_relays.defect import defect
from reference_relay.server.connection import Connection as SocketConnection
from reference_relay.server.gate import Admitted, Refused


@defect(
    "decodes-before-routing", clauses=("CON-5",), where="server", summary="decodes the path before it takes it apart"
)
class DecodesBeforeRouting(SocketConnection):
    def _judge(self, request: UpgradeRequest) -> Admitted | Refused:
        return super()._judge(dataclasses.replace(request, path=unquote(request.path)))
