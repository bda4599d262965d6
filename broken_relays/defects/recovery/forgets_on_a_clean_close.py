"""A graceful shutdown strands whatever was under way."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.effects import Save
from reference_relay.core.records import Executor


@defect(
    "forgets-on-a-clean-close",
    clauses=("REC-1",),
    faults=(12,),
    where="core",
    summary="forgets an executor that closes in good order",
)
class ForgetsOnACleanClose(Core):
    def _disconnected(self, executor: Executor, reason: str) -> None:
        if reason.startswith("close frame"):
            self._audit("executor.delete", executor.key, reason=reason)
            self._put_executor(executor.key, None)
            self._emit(Save(executor.key, None, "executors"))
        else:
            super()._disconnected(executor, reason)
