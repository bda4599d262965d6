"""A timer that one path of the code does not arm."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.config import CoreConfig
from reference_relay.core.core import Core
from reference_relay.core.records import Connection, ExecutorInfo, ExecutorKey


@defect(
    "unwatched-after-replacement",
    clauses=("LIV-3",),
    faults=(69,),
    where="core",
    summary="watches no silence on a connection that replaced another",
)
class UnwatchedAfterReplacement(Core):
    def __init__(self, config: CoreConfig | None = None) -> None:
        super().__init__(config)
        self._unwatched: set[int] = set()

    def _register(self, connection: Connection, info: ExecutorInfo) -> None:
        if ExecutorKey(*connection.application, info.executor_id) in self.executors:
            self._unwatched.add(connection.conn)
        super()._register(connection, info)

    def _silence_due(self, conn: int) -> None:
        if conn not in self._unwatched:
            super()._silence_due(conn)
