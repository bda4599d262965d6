"""A write that blocks holds up every other connection."""

from __future__ import annotations

import time

from broken_relays.defect import defect
from reference_relay.server.connection import Connection as SocketConnection

BLOCKING_WRITE_S = 0.9


@defect(
    "slow-reader-stops-all",
    clauses=("LIV-14",),
    faults=(65,),
    where="server",
    summary="waits for a slow reader with everything else",
)
class SlowReaderStopsAll(SocketConnection):
    def _flush(self, *, data: bool) -> None:
        super()._flush(data=data)
        if data and self._transport.get_write_buffer_size():
            time.sleep(BLOCKING_WRITE_S)
