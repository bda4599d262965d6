"""The close of an old socket, noticed late, demotes the executor that has come back."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Connection, Executor, Status


@defect(
    "demotes-on-stale-close",
    clauses=("LIV-11",),
    faults=(29,),
    where="core",
    summary="keys the end of a connection by the executor's id",
)
class DemotesOnStaleClose(Core):
    def _supersede(self, conn: int) -> None:
        """The old socket goes in its own time."""

    def _was_its_last(self, executor: Executor, connection: Connection) -> bool:
        return executor.status is Status.HEALTHY
