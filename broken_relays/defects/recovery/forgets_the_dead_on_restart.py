"""A recovery that was under way when the relay died is not taken up again."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Executor, Status


@defect(
    "forgets-the-dead-on-restart",
    clauses=("REC-19", "LIV-15"),
    faults=(34, 71),
    where="core",
    summary="starts without the executors that were DEAD",
)
class ForgetsTheDeadOnRestart(Core):
    def _restore_executor(self, executor: Executor, gap_ns: int) -> None:
        if executor.status is not Status.DEAD:
            super()._restore_executor(executor, gap_ns)
