"""One connection takes all of them along."""

from __future__ import annotations

import os

from broken_relays.defect import defect
from conductor.codec import decode_envelope
from conductor.errors import DecodeError
from reference_relay.server.connection import Connection as SocketConnection

EX_SOFTWARE = 70


@defect(
    "dies-of-malformed-json",
    clauses=("ENV-6",),
    faults=(67,),
    where="server",
    summary="ends as a process at the first frame that is no JSON object",
)
class DiesOfMalformedJson(SocketConnection):
    def _on_message(self, text: bool, data: bytes) -> None:
        try:
            decode_envelope(data)
        except DecodeError:
            os._exit(EX_SOFTWARE)
        super()._on_message(text, data)
