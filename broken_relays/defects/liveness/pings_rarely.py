"""The gap between two pings is longer than the ping wait."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.config import CoreConfig
from reference_relay.core.core import Core


@defect("pings-rarely", clauses=("LIV-1",), faults=(53,), where="core", summary="pings at twice the ping wait")
class PingsRarely(Core):
    def __init__(self, config: CoreConfig | None = None) -> None:
        super().__init__(config)
        self._interval_ns = 2 * self._wait_ns
