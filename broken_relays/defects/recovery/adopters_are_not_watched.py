"""What a peer adopted is lost with the peer."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.config import CoreConfig
from reference_relay.core.core import Core
from reference_relay.core.records import Executor, ExecutorKey


@defect(
    "adopters-are-not-watched",
    clauses=("REC-16",),
    faults=(43,),
    where="core",
    summary="does not recover an executor that has recovered another",
)
class AdoptersAreNotWatched(Core):
    def __init__(self, config: CoreConfig | None = None) -> None:
        super().__init__(config)
        self._adopters: set[ExecutorKey] = set()

    def _dispatch(self, dead: Executor, peer: ExecutorKey, *, latest: bool = False) -> None:
        self._adopters.add(peer)
        super()._dispatch(dead, peer, latest=latest)

    def _seek_peer(self, key: ExecutorKey) -> None:
        if key not in self._adopters:
            super()._seek_peer(key)
