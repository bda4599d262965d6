"""The work of the dead lies still for longer than was agreed."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Executor


@defect(
    "grace-and-a-half",
    clauses=("LIV-7",),
    faults=(78,),
    where="core",
    summary="declares an executor DEAD after one and a half of its grace",
)
class GraceAndAHalf(Core):
    def _dead_at_ns(self, executor: Executor) -> int:
        return self._now_ns + 3 * self._grace_ns(executor.key.application) // 2
