"""At the end of a partition everybody's work is moved, though nobody died."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Connection, ExecutorInfo, ExecutorKey, Purpose, Status


@defect(
    "recovers-the-returned",
    clauses=("LIV-6",),
    faults=(35,),
    where="core",
    summary="has an executor recovered that came back within its grace",
)
class RecoversTheReturned(Core):
    def _register(self, connection: Connection, info: ExecutorInfo) -> None:
        key = ExecutorKey(*connection.application, info.executor_id)
        before = self.executors.get(key)
        super()._register(connection, info)
        if before is not None and before.status is Status.DISCONNECTED:
            for peer in self._candidates(self.executors[key]):
                if peer != key:
                    conn, ids = self._executor_conn(peer), {"executor_ids": [info.executor_id]}
                    self._request(conn, "recovery", ids, Purpose.CALL, self._recovery_ns)
                    return
