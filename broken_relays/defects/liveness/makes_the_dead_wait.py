"""While a peer is asked, the executor itself is kept out."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Connection, ExecutorInfo, ExecutorKey, Phase


@defect(
    "makes-the-dead-wait",
    clauses=("LIV-19",),
    faults=(41,),
    where="core",
    summary="lets a returning executor in only after its recovery has ended",
)
class MakesTheDeadWait(Core):
    def _register(self, connection: Connection, info: ExecutorInfo) -> None:
        before = self.executors.get(ExecutorKey(*connection.application, info.executor_id))
        recovery = None if before is None else before.recovery
        if recovery is not None and recovery.phase in (Phase.DISPATCHED, Phase.VERIFYING):
            self._close(connection, 1013, "this executor is being recovered: try again later")
        else:
            super()._register(connection, info)
