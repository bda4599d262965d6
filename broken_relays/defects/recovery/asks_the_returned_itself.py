"""It adopts work that it is doing."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Connection, ExecutorInfo, ExecutorKey, Purpose, Status


@defect(
    "asks-the-returned-itself",
    clauses=("REC-5",),
    faults=(10, 35),
    where="core",
    summary="asks an executor that returns from the dead to recover itself",
)
class AsksTheReturnedItself(Core):
    def _register(self, connection: Connection, info: ExecutorInfo) -> None:
        before = self.executors.get(ExecutorKey(*connection.application, info.executor_id))
        super()._register(connection, info)
        if before is not None and before.status is Status.DEAD:
            ids = {"executor_ids": [info.executor_id]}
            self._request(connection.conn, "recovery", ids, Purpose.CALL, self._recovery_ns)
