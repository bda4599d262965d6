"""An executor that flaps uses its grace up, one absence after the other."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.config import CoreConfig
from reference_relay.core.core import Core
from reference_relay.core.records import Executor, ExecutorKey


@defect(
    "grace-from-the-first-disconnect",
    clauses=("LIV-8",),
    faults=(35,),
    where="core",
    summary="counts the grace from the first disconnection",
)
class GraceFromTheFirstDisconnect(Core):
    def __init__(self, config: CoreConfig | None = None) -> None:
        super().__init__(config)
        self._first_ns: dict[ExecutorKey, int] = {}

    def _dead_at_ns(self, executor: Executor) -> int:
        first_ns = self._first_ns.setdefault(executor.key, self._now_ns)
        return max(self._now_ns, first_ns + self._grace_ns(executor.key.application))
