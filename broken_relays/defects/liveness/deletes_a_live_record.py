"""The answer to a recovery counts, whoever has come back meanwhile."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.effects import Save
from reference_relay.core.records import Executor, ExecutorKey, Status


@defect(
    "deletes-a-live-record",
    clauses=("LIV-13",),
    faults=(43,),
    where="core",
    summary="deletes the record of a returned executor at the late acknowledgement",
)
class DeletesALiveRecord(Core):
    def _call_off_recovery(self, dead: Executor) -> None:
        """It is recovered all the same."""

    def _verify(self, key: ExecutorKey, conn: int) -> None:
        executor = self.executors.get(key)
        if executor is not None and executor.status is Status.HEALTHY:
            self._audit("executor.delete", key, reason="recovered")
            self._put_executor(key, None)
            self._emit(Save(key, None, "executors"))
        super()._verify(key, conn)
