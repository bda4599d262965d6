"""An SDK that adopts another language's rows ends them in ERROR or strands them (measured)."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Executor, ExecutorKey


@defect(
    "recovers-to-any-language", clauses=("REC-23",), faults=(6,), where="core", summary="asks peers of every language"
)
class RecoversToAnyLanguage(Core):
    def _candidates(self, dead: Executor) -> tuple[ExecutorKey, ...]:
        app, version = dead.key.application, dead.info.application_version
        ready = (ExecutorKey(*app, peer) for peer in self.ready.get(app, ()))
        return tuple(peer for peer in ready if self.executors[peer].info.application_version == version)
