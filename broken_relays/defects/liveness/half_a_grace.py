"""Whoever needs the whole grace to restart is recovered while it starts."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Executor


@defect(
    "half-a-grace",
    clauses=("LIV-7",),
    faults=(35, 42),
    where="core",
    summary="declares an executor DEAD after half its grace",
)
class HalfAGrace(Core):
    def _dead_at_ns(self, executor: Executor) -> int:
        return self._now_ns + self._grace_ns(executor.key.application) // 2
