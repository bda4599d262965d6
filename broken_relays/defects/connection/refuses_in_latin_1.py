"""One byte a character was enough for everybody."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.server.connection import Connection
from reference_relay.server.gate import Refused
from reference_relay.server.refusal import refusal


@defect(
    "refuses-in-latin-1",
    clauses=("CON-11",),
    where="server",
    summary="writes the text of a refused upgrade in Latin-1, with umlauts",
)
class RefusesInLatin1(Connection):
    def _refuse(self, refused: Refused) -> None:
        head, end, body = refusal(refused).partition(b"\r\n\r\n")
        self._ending = True
        self._transport.write(head + end + body.replace(b"o", b"\xf6"))
        self._shut()
