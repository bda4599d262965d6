"""The first connection lost its network; its timeout strikes the second."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Connection, Executor, Status


@defect(
    "stale-ping-wait",
    clauses=("LIV-11",),
    faults=(83,),
    where="core",
    summary="demotes an executor when the ping wait of its old socket ends",
)
class StalePingWait(Core):
    _expired: int | None = None

    def _supersede(self, conn: int) -> None:
        """The old socket goes when its ping wait ends."""

    def _silence_due(self, conn: int) -> None:
        self._expired = conn
        super()._silence_due(conn)
        self._expired = None

    def _was_its_last(self, executor: Executor, connection: Connection) -> bool:
        stale = connection.conn == self._expired and executor.status is Status.HEALTHY
        return stale or super()._was_its_last(executor, connection)
