"""The mark of who is to be recovered is not taken back when its owner is seen alive."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Executor, ExecutorKey, Purpose


@defect(
    "recovers-the-healthy",
    clauses=("REC-26",),
    faults=(10, 42),
    where="core",
    summary="has a HEALTHY executor recovered along with each dead one",
)
class RecoversTheHealthy(Core):
    def _dispatch(self, dead: Executor, peer: ExecutorKey, *, latest: bool = False) -> None:
        super()._dispatch(dead, peer, latest=latest)
        for living in self._candidates(dead):
            if living != peer:
                conn, ids = self._executor_conn(peer), {"executor_ids": [living.executor_id]}
                self._request(conn, "recovery", ids, Purpose.CALL, self._recovery_ns)
                return
