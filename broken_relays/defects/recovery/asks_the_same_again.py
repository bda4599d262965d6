"""The other candidates are never asked."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Executor, ExecutorKey


@defect(
    "asks-the-same-again",
    clauses=("REC-7",),
    faults=(52,),
    where="core",
    summary="asks the peer again that has just refused",
)
class AsksTheSameAgain(Core):
    def _choose(
        self, dead: Executor, candidates: tuple[ExecutorKey, ...], asked: tuple[str, ...]
    ) -> ExecutorKey | None:
        return None if asked else super()._choose(dead, candidates, ())
