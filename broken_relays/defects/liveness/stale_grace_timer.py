"""It is declared DEAD although it came back in time."""

from __future__ import annotations

from msgspec.structs import replace

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import ExecutorKey, Status


@defect(
    "stale-grace-timer",
    clauses=("LIV-6",),
    faults=(29, 77),
    where="core",
    summary="does not stop the grace timer of an executor that returns",
)
class StaleGraceTimer(Core):
    def _grace_due(self, key: ExecutorKey) -> None:
        executor = self.executors.get(key)
        if executor is not None and executor.status is Status.HEALTHY:
            self._put_executor(key, replace(executor, status=Status.DISCONNECTED, conn=None, dead_at_ns=self._now_ns))
        super()._grace_due(key)
