"""A relay that restarts often never declares anybody DEAD."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Executor, Status


@defect(
    "whole-grace-after-restart",
    clauses=("LIV-15",),
    faults=(34,),
    where="core",
    summary="gives an executor that was away a whole grace again at each start",
)
class WholeGraceAfterRestart(Core):
    def _restore_executor(self, executor: Executor, gap_ns: int) -> None:
        if executor.status is Status.DISCONNECTED:
            self._put_executor(executor.key, executor)
            self._disconnected(executor, "the relay restarted")
        else:
            super()._restore_executor(executor, gap_ns)
