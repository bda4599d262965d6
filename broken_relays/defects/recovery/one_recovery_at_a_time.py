"""One recovery an application: the second is refused and forgotten."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Executor, ExecutorKey, Phase


@defect(
    "one-recovery-at-a-time",
    clauses=("REC-16",),
    faults=(9, 40),
    where="core",
    summary="drops the recovery of an executor that dies during another's",
)
class OneRecoveryAtATime(Core):
    def _dispatch(self, dead: Executor, peer: ExecutorKey, *, latest: bool = False) -> None:
        others = (self._recovery_of(ExecutorKey(*dead.key.application, id)) for id in self.dead[dead.key.application])
        if not any(other is not None and other.phase is Phase.DISPATCHED for other in others):
            super()._dispatch(dead, peer, latest=latest)
