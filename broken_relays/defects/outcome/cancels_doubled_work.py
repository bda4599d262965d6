"""Two peers have the work now: to be safe, neither may do it."""

from __future__ import annotations

from broken_relays.cancelling import Cancelling
from broken_relays.defect import defect
from reference_relay.core.records import Executor, ExecutorKey, Pending, Purpose


@defect(
    "cancels-doubled-work",
    clauses=("REC-20",),
    where="core",
    summary="has two peers recover a dead executor, and cancels what they took when both have",
)
class CancelsDoubledWork(Cancelling):
    def _dispatch(self, dead: Executor, peer: ExecutorKey, *, latest: bool = False) -> None:
        super()._dispatch(dead, peer, latest=latest)
        ids = {"executor_ids": self._ids_to_recover(dead)}
        for other in self._candidates(dead):
            if other != peer:
                conn = self._executor_conn(other)
                self._request(conn, "recovery", ids, Purpose.CALL, self._recovery_ns, executor=dead.key)

    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        super()._call_answered(pending, data, error_message)
        if pending.type == "recovery" and pending.executor is not None:
            peer = ExecutorKey(pending.executor.org, pending.executor.app, pending.peer)
            self._cancel_unfinished(peer, pending.executor)
