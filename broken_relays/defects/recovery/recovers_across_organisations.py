"""Peers are looked for by the application's name."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Executor, ExecutorKey


@defect(
    "recovers-across-organisations",
    clauses=("REC-4",),
    faults=(70,),
    where="core",
    summary="asks another organisation's application of the same name",
)
class RecoversAcrossOrganisations(Core):
    def _candidates(self, dead: Executor) -> tuple[ExecutorKey, ...]:
        namesakes = sorted(app for app in self.ready if app.app == dead.key.app)
        found = (ExecutorKey(*app, peer) for app in namesakes for peer in self.ready[app])
        return super()._candidates(dead) or tuple(found)
