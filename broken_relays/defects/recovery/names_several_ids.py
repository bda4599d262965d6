"""One row that can't be recovered fails the recovery of all."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Executor


@defect(
    "names-several-ids",
    clauses=("REC-1",),
    faults=(9,),
    where="core",
    summary="names all dead executors of an application in one frame",
)
class NamesSeveralIds(Core):
    def _ids_to_recover(self, dead: Executor) -> list[str]:
        return list(self.dead[dead.key.application])
