"""The path is made tidy before it is looked at, as some proxies do."""

from __future__ import annotations

import posixpath
from dataclasses import replace

from websockets.http11 import Request as UpgradeRequest

from broken_relays.defect import defect
from reference_relay.server.connection import Connection as SocketConnection
from reference_relay.server.gate import Admitted, Refused


@defect(
    "normalises-paths",
    clauses=("CON-5",),
    where="server",
    summary="takes encoded slashes and parent folders out of the path",
)
class NormalisesPaths(SocketConnection):
    def _judge(self, request: UpgradeRequest) -> Admitted | Refused:
        tidy = posixpath.normpath(request.path.replace("%2F", "/").replace("%2f", "/"))
        return super()._judge(replace(request, path=tidy))
