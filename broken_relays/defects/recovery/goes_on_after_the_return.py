"""Each adoption counts against the recovery attempts of healthy work."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Pending, Purpose, Status

TRIES = 5


@defect(
    "goes-on-after-the-return",
    clauses=("REC-26",),
    faults=(42, 48),
    where="core",
    summary="goes on asking peers about an executor that has returned",
)
class GoesOnAfterTheReturn(Core):
    def _dispatch_failed(self, pending: Pending, result: str, error: str | None = None) -> None:
        super()._dispatch_failed(pending, result, error)
        key = pending.executor
        executor = None if key is None else self.executors.get(key)
        if key is None or executor is None or executor.status is not Status.HEALTHY or pending.attempt >= TRIES:
            return
        for peer in self._candidates(executor):
            if peer.executor_id not in (key.executor_id, pending.peer):
                conn, ids = self._executor_conn(peer), {"executor_ids": [key.executor_id]}
                attempt = pending.attempt + 1
                self._request(conn, "recovery", ids, Purpose.RECOVERY, self._recovery_ns, executor=key, attempt=attempt)
                return
