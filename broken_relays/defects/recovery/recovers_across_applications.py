"""Peers are looked for by organisation and version."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Executor, ExecutorKey


@defect(
    "recovers-across-applications",
    clauses=("REC-3",),
    faults=(70,),
    where="core",
    summary="asks another application of the organisation where there is no peer",
)
class RecoversAcrossApplications(Core):
    def _candidates(self, dead: Executor) -> tuple[ExecutorKey, ...]:
        others = sorted(app for app in self.ready if app.org == dead.key.org)
        found = (ExecutorKey(*app, peer) for app in others for peer in self.ready[app])
        return super()._candidates(dead) or tuple(found)
