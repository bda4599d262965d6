"""A dispatch goes to nobody and waits for its deadline."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Connection, Executor, ExecutorKey, Pending, Status

NOWHERE = 0


@defect(
    "asks-the-lost",
    clauses=("REC-5",),
    faults=(45, 52),
    where="core",
    summary="asks peers that are gone before those that are there",
)
class AsksTheLost(Core):
    def _candidates(self, dead: Executor) -> tuple[ExecutorKey, ...]:
        known = self.executors_of(dead.key.application)
        lost = (other.key for other in known if other.status is not Status.HEALTHY and other.key != dead.key)
        return (*lost, *super()._candidates(dead))

    def _choose(
        self, dead: Executor, candidates: tuple[ExecutorKey, ...], asked: tuple[str, ...]
    ) -> ExecutorKey | None:
        return next((peer for peer in candidates if peer.executor_id not in asked), None)

    def _executor_conn(self, key: ExecutorKey) -> int:
        return self.executors[key].conn or NOWHERE

    def _request(self, conn: int, type_: str, *rest: Any, **more: Any) -> Pending:
        if conn == NOWHERE:
            app = next(iter(self.applications))
            self._put("connections", NOWHERE, Connection(NOWHERE, app, self._now_ns, self._now_ns))
        pending = super()._request(conn, type_, *rest, **more)
        self._put("connections", NOWHERE, None)
        return pending
