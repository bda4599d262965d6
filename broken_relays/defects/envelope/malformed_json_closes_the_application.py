"""The offending connection may be closed, its neighbours not."""

from __future__ import annotations

from broken_relays.defect import defect
from conductor.errors import DecodeError
from reference_relay.core.core import Core
from reference_relay.core.records import Connection


@defect(
    "malformed-json-closes-the-application",
    clauses=("ENV-6",),
    where="core",
    summary="closes all connections of an application for one bad frame",
)
class MalformedJsonClosesTheApplication(Core):
    def _on_malformed(self, connection: Connection, error: DecodeError) -> None:
        for conn in self.connections_of(connection.application):
            self._close(self.connections[conn], 1007, "malformed")
