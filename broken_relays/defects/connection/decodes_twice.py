"""Each segment is decoded once more than it was encoded."""

from __future__ import annotations

from urllib.parse import unquote

from broken_relays.defect import defect
from reference_relay.server.gate import Admitted, Gate, Refused


@defect("decodes-twice", clauses=("CON-5",), where="server", summary="percent-decodes the path's segments twice")
class DecodesTwice(Gate):
    def admit(self, app_segment: str, key_segment: str) -> Admitted | Refused:
        return super().admit(unquote(app_segment), unquote(key_segment))
