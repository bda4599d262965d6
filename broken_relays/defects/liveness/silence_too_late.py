"""It waits for more pings to stay unanswered than was agreed."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Connection


@defect(
    "silence-too-late",
    clauses=("LIV-3",),
    faults=(5,),
    where="core",
    summary="gives a silent connection up after two and a half ping waits",
)
class SilenceTooLate(Core):
    def _silent_at_ns(self, connection: Connection) -> int:
        return connection.last_frame_ns + 5 * self._wait_ns // 2
