"""A second pass finds the same death before the first has taken effect."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import ExecutorKey, Purpose


@defect("recovers-twice", clauses=("REC-6",), faults=(48,), where="core", summary="has each death handled twice")
class RecoversTwice(Core):
    def _delete_recovered(self, key: ExecutorKey, *, verified: bool) -> None:
        super()._delete_recovered(key, verified=verified)
        for peer in self.ready.get(key.application, ()):
            conn = self._executor_conn(ExecutorKey(*key.application, peer))
            self._request(conn, "recovery", {"executor_ids": [key.executor_id]}, Purpose.CALL, self._recovery_ns)
            return
