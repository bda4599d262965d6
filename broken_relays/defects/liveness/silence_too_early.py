"""Slow is taken for dead."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Connection


@defect(
    "silence-too-early",
    clauses=("LIV-3",),
    faults=(42,),
    where="core",
    summary="gives a silent connection up after half the ping wait",
)
class SilenceTooEarly(Core):
    def _silent_at_ns(self, connection: Connection) -> int:
        return connection.last_frame_ns + self._wait_ns // 2
