"""Whatever was not written yet is lost in a crash."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from reference_relay.core.config import NS, CoreConfig
from reference_relay.core.core import Core
from reference_relay.core.effects import Audit
from reference_relay.core.records import ExecutorKey

DELAY_NS = 60 * NS


@defect(
    "keeps-entries-in-memory",
    clauses=("AUD-3",),
    faults=(8, 86),
    where="core",
    summary="writes the audit log a minute late",
)
class KeepsEntriesInMemory(Core):
    def __init__(self, config: CoreConfig | None = None) -> None:
        super().__init__(config)
        self._kept: list[tuple[int, Audit]] = []

    def _audit(self, operation: str, key: ExecutorKey, *, success: bool = True, **details: Any) -> None:
        said = {"executorId": key.executor_id, **{name: value for name, value in details.items() if value is not None}}
        self._kept.append((self._now_ns, Audit(key.org, operation, success, key.app, said)))

    def _on_tick(self) -> None:
        super()._on_tick()
        while self._kept and self._kept[0][0] + DELAY_NS < self._now_ns:
            self._emit(self._kept.pop(0)[1])
