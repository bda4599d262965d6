"""A peer of another version answers true and moves nothing (measured)."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Executor, ExecutorKey


@defect(
    "prefers-another-version",
    clauses=("REC-2",),
    faults=(6,),
    where="core",
    summary="asks peers of other versions first",
)
class PrefersAnotherVersion(Core):
    def _candidates(self, dead: Executor) -> tuple[ExecutorKey, ...]:
        own = super()._candidates(dead)
        ready = (ExecutorKey(*dead.key.application, peer) for peer in self.ready.get(dead.key.application, ()))
        return tuple(peer for peer in ready if peer not in own) or own
