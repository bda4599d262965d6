"""It asks what is left, and does not listen."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import ExecutorKey, Recovery


@defect(
    "deletes-while-work-is-left",
    clauses=("REC-6",),
    faults=(1, 9),
    where="core",
    summary="deletes the record although work is left",
)
class DeletesWhileWorkIsLeft(Core):
    def _work_left(self, key: ExecutorKey, recovery: Recovery) -> None:
        self._delete_recovered(key, verified=False)
