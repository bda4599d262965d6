"""Double work, and two adopters for every row."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Executor, ExecutorKey, Purpose


@defect("two-at-once", clauses=("REC-10",), faults=(2, 48), where="core", summary="asks two peers at the same time")
class TwoAtOnce(Core):
    def _dispatch(self, dead: Executor, peer: ExecutorKey, *, latest: bool = False) -> None:
        super()._dispatch(dead, peer, latest=latest)
        for second in self._candidates(dead):
            if second != peer:
                ids = {"executor_ids": self._ids_to_recover(dead)}
                self._request(self._executor_conn(second), "recovery", ids, Purpose.CALL, self._recovery_ns)
                return
