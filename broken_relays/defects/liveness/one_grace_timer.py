"""A second executor that leaves while the first is away is never declared DEAD."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Executor, Status


@defect(
    "one-grace-timer", clauses=("LIV-7",), faults=(78,), where="core", summary="keeps one grace timer an application"
)
class OneGraceTimer(Core):
    def _arm_grace(self, executor: Executor) -> None:
        away = [other for other in self.executors_of(executor.key.application) if other.status is Status.DISCONNECTED]
        if len(away) < 2:
            super()._arm_grace(executor)
