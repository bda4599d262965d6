"""A step forward kills whoever is away, a step back keeps the dead alive."""

from __future__ import annotations

from msgspec.structs import replace

from broken_relays.defect import defect
from reference_relay.core.config import NS
from reference_relay.core.core import Core
from reference_relay.core.records import Executor, ExecutorKey, Status
from reference_relay.core.timers import Timer


@defect(
    "grace-by-the-wall-clock",
    clauses=("LIV-16",),
    faults=(38, 58),
    where="core",
    summary="measures the grace on the wall clock",
)
class GraceByTheWallClock(Core):
    def _on_tick(self) -> None:
        super()._on_tick()
        for key, executor in list(self.executors.items()):
            if executor.status is Status.DISCONNECTED and self._over(executor):
                self._put_executor(key, replace(executor, dead_at_ns=self._now_ns))
                super()._grace_due(key)

    def _grace_due(self, key: ExecutorKey) -> None:
        executor = self.executors.get(key)
        if executor is None or self._over(executor):
            super()._grace_due(key)
        elif executor.status is Status.DISCONNECTED:
            self._arm(Timer.GRACE, key, self._now_ns + NS)

    def _over(self, executor: Executor) -> bool:
        return (self._now_ms - executor.updated_ms) * 1_000_000 >= self._grace_ns(executor.key.application)
