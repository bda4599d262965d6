"""A mass death falls on one executor."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Executor, ExecutorKey


@defect("all-to-one", clauses=("REC-18",), where="core", summary="sends every recovery to the same peer")
class AllToOne(Core):
    def _choose(
        self, dead: Executor, candidates: tuple[ExecutorKey, ...], asked: tuple[str, ...]
    ) -> ExecutorKey | None:
        return next((peer for peer in candidates if peer.executor_id not in asked), None)
