"""A limit against floods is also one for everybody who comes back after a restart."""

from __future__ import annotations

import time
from typing import Any

from broken_relays.defect import defect
from reference_relay.server.gate import Admitted, Gate, Refused

_EVERY_S = 0.25


@defect(
    "admits-a-few-a-second",
    clauses=("ROB-2",),
    faults=(46,),
    where="server",
    summary="lets four connections in a second, and refuses the others",
)
class AdmitsAFewASecond(Gate):
    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._next_s = 0.0

    def admit(self, app_segment: str, key_segment: str) -> Admitted | Refused:
        admitted = super().admit(app_segment, key_segment)
        if isinstance(admitted, Admitted):
            now_s = time.monotonic()
            if now_s < self._next_s:
                return Refused(429, "not so fast")
            self._next_s = now_s + _EVERY_S
        return admitted
