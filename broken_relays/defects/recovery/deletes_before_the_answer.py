"""What the peer answers finds nothing any more."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Executor, ExecutorKey


@defect(
    "deletes-before-the-answer",
    clauses=("REC-6",),
    faults=(8,),
    where="core",
    summary="deletes the dead executor's record when it has asked a peer",
)
class DeletesBeforeTheAnswer(Core):
    def _dispatch(self, dead: Executor, peer: ExecutorKey, *, latest: bool = False) -> None:
        super()._dispatch(dead, peer, latest=latest)
        self._delete_recovered(dead.key, verified=False)
