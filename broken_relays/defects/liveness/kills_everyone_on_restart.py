"""A restart of the relay is the death of all executors."""

from __future__ import annotations

from msgspec.structs import replace

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Executor, Status
from reference_relay.core.timers import Timer


@defect(
    "kills-everyone-on-restart",
    clauses=("LIV-15",),
    faults=(32,),
    where="core",
    summary="declares everybody DEAD who is not connected when it starts",
)
class KillsEveryoneOnRestart(Core):
    def _restore_executor(self, executor: Executor, gap_ns: int) -> None:
        super()._restore_executor(executor, gap_ns)
        restored = self.executors[executor.key]
        if restored.status is Status.DISCONNECTED:
            self._put_executor(executor.key, replace(restored, dead_at_ns=self._now_ns))
            self._arm(Timer.GRACE, executor.key, self._now_ns)
