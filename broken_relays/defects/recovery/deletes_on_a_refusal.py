"""``success`` is not looked at: false deletes the record like true."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "deletes-on-a-refusal",
    clauses=("REC-7",),
    faults=(9,),
    where="core",
    summary="takes any answer of a peer for the end of a recovery",
)
class DeletesOnARefusal(Core):
    def _dispatch_failed(self, pending: Pending, result: str, error: str | None = None) -> None:
        if result == "refused" and pending.executor is not None and pending.executor in self.executors:
            self._audit_end(pending, result, error)
            self._delete_recovered(pending.executor, verified=False)
        else:
            super()._dispatch_failed(pending, result, error)
