"""Whoever died with the relay is never recovered."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.effects import Save
from reference_relay.core.records import Executor


@defect(
    "forgets-everyone-on-restart",
    clauses=("LIV-15",),
    faults=(34,),
    where="core",
    summary="starts without the executors that it knew",
)
class ForgetsEveryoneOnRestart(Core):
    def _restore_executor(self, executor: Executor, gap_ns: int) -> None:
        self._emit(Save(executor.key, None, "executors"))
