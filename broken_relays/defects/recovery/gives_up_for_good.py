"""A peer that joins later is not asked."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.config import CoreConfig
from reference_relay.core.core import Core
from reference_relay.core.records import ExecutorKey


@defect(
    "gives-up-for-good",
    clauses=("REC-11",),
    faults=(74,),
    where="core",
    summary="gives a recovery up for good when all candidates have refused",
)
class GivesUpForGood(Core):
    def __init__(self, config: CoreConfig | None = None) -> None:
        super().__init__(config)
        self._given_up: set[ExecutorKey] = set()

    def _back_off(self, key: ExecutorKey) -> None:
        self._given_up.add(key)

    def _seek_peer(self, key: ExecutorKey) -> None:
        if key not in self._given_up:
            super()._seek_peer(key)
