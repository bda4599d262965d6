"""Whoever has dialled will do, also before it has said who it is."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Executor, Purpose


@defect(
    "dispatches-before-the-handshake",
    clauses=("HSK-7",),
    faults=(69,),
    where="core",
    summary="asks a connection without handshake where there is no peer",
)
class DispatchesBeforeTheHandshake(Core):
    def _wait_for_peer(self, executor: Executor, reason: str) -> None:
        super()._wait_for_peer(executor, reason)
        for conn in self.connections_of(executor.key.application):
            if self.connections[conn].executor_id is None:
                ids = {"executor_ids": [executor.key.executor_id]}
                self._request(conn, "recovery", ids, Purpose.CALL, self._recovery_ns)
