"""Between a recovery's success and the deletion nobody looks whether the executor is back."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.effects import Save
from reference_relay.core.records import Executor, Pending, Status


@defect(
    "deletes-what-came-back",
    clauses=("LIV-13",),
    faults=(10, 35),
    where="core",
    summary="deletes the record of an executor that came back while its work was being verified",
)
class DeletesWhatCameBack(Core):
    def _call_off_recovery(self, dead: Executor) -> None:
        """What was begun goes on."""

    def _verified(self, pending: Pending, data: bytes) -> None:
        executor = None if pending.executor is None else self.executors.get(pending.executor)
        if executor is None or executor.status is not Status.HEALTHY:
            super()._verified(pending, data)
            return
        self._audit("executor.delete", executor.key, reason="recovered")
        self._put_executor(executor.key, None)
        self._emit(Save(executor.key, None, "executors"))
