"""A new version that comes back under the old id is listed, and recovered, as the old version."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Connection, ExecutorInfo, ExecutorKey


@defect(
    "keeps-the-first-registration",
    clauses=("HSK-2",),
    faults=(6,),
    where="core",
    summary="goes on listing what an executor said the first time",
)
class KeepsTheFirstRegistration(Core):
    def _register(self, connection: Connection, info: ExecutorInfo) -> None:
        before = self.executors.get(ExecutorKey(*connection.application, info.executor_id))
        super()._register(connection, info if before is None else before.info)
