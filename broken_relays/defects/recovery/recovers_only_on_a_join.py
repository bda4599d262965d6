"""The peers that are there when an executor dies are not asked."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import ExecutorKey


@defect(
    "recovers-only-on-a-join",
    clauses=("REC-1",),
    faults=(74,),
    where="core",
    summary="looks for a peer when one joins, and at no other time",
)
class RecoversOnlyOnAJoin(Core):
    _dying = False

    def _grace_due(self, key: ExecutorKey) -> None:
        self._dying = True
        super()._grace_due(key)
        self._dying = False

    def _seek_peer(self, key: ExecutorKey) -> None:
        if not self._dying:
            super()._seek_peer(key)
