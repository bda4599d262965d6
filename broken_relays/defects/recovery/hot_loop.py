"""The backoff never grows: hundreds of dispatches a second."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.config import ns
from reference_relay.core.core import Core


@defect(
    "hot-loop",
    clauses=("REC-12",),
    faults=(80,),
    where="core",
    summary="asks again at once when all candidates have refused",
)
class HotLoop(Core):
    def _backoff_ns(self, rounds: int) -> int:
        return ns(self.config.timing.backoff_first_s) // 2
