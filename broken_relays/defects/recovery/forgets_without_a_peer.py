"""There is nobody to recover it, so it is not waited for either."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Executor


@defect(
    "forgets-without-a-peer",
    clauses=("REC-11",),
    faults=(28, 74),
    where="core",
    summary="deletes a dead executor where nobody can be asked",
)
class ForgetsWithoutAPeer(Core):
    def _wait_for_peer(self, executor: Executor, reason: str) -> None:
        self._delete_recovered(executor.key, verified=False)
