"""The dead executor's work comes to an end, only not to its own."""

from __future__ import annotations

from broken_relays.cancelling import Cancelling
from broken_relays.defect import defect
from reference_relay.core.records import Executor, ExecutorKey


@defect(
    "cancels-instead",
    clauses=("OUT-2", "OUT-3"),
    where="core",
    summary="has the workflows of a dead executor cancelled instead of recovered",
)
class CancelsInstead(Cancelling):
    def _dispatch(self, dead: Executor, peer: ExecutorKey, *, latest: bool = False) -> None:
        self._cancel_unfinished(peer, dead.key, executor_id=[dead.key.executor_id])
        self._delete_recovered(dead.key, verified=False)
