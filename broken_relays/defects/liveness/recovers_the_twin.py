"""The second connection is taken for a restart, the first for a death."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import ExecutorKey, Purpose


@defect(
    "recovers-the-twin",
    clauses=("LIV-12",),
    faults=(41, 55),
    where="core",
    summary="has an executor recovered when a second socket of it appears",
)
class RecoversTheTwin(Core):
    def _supersede(self, conn: int) -> None:
        older = self.connections.get(conn)
        super()._supersede(conn)
        if older is not None and older.executor_id is not None:
            for peer in self.ready.get(older.application, ()):
                to = self._executor_conn(ExecutorKey(*older.application, peer))
                self._request(to, "recovery", {"executor_ids": [older.executor_id]}, Purpose.CALL, self._recovery_ns)
                return
