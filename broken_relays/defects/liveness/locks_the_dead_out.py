"""The only executor of an application can never come back."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Connection, ExecutorInfo, ExecutorKey, Status


@defect(
    "locks-the-dead-out",
    clauses=("LIV-13",),
    faults=(41,),
    where="core",
    summary="refuses an executor that returns while it is DEAD",
)
class LocksTheDeadOut(Core):
    def _register(self, connection: Connection, info: ExecutorInfo) -> None:
        before = self.executors.get(ExecutorKey(*connection.application, info.executor_id))
        if before is not None and before.status is Status.DEAD:
            self._close(connection, 1008, "this executor is being recovered")
        else:
            super()._register(connection, info)
