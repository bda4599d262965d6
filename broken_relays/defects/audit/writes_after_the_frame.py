"""A crash in between leaves a dispatch that nobody knows of."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.effects import Audit
from reference_relay.core.records import Executor, ExecutorKey


@defect(
    "writes-after-the-frame",
    clauses=("AUD-5",),
    faults=(86,),
    where="core",
    summary="sends a recovery before its entry is written",
)
class WritesAfterTheFrame(Core):
    def _dispatch(self, dead: Executor, peer: ExecutorKey, *, latest: bool = False) -> None:
        before = len(self._effects)
        super()._dispatch(dead, peer, latest=latest)
        self._effects[before:] = sorted(self._effects[before:], key=lambda effect: isinstance(effect, Audit))
