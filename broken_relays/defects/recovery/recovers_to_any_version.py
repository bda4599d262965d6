"""The work is reported as moved, and lies there."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Executor, ExecutorKey


@defect(
    "recovers-to-any-version",
    clauses=("REC-13",),
    faults=(6,),
    where="core",
    summary="asks any version where the dead executor's has no peer",
)
class RecoversToAnyVersion(Core):
    def _candidates(self, dead: Executor) -> tuple[ExecutorKey, ...]:
        ready = self.ready.get(dead.key.application, ())
        return super()._candidates(dead) or tuple(ExecutorKey(*dead.key.application, peer) for peer in ready)
