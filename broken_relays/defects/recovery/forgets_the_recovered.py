"""Rows that a falsely dead executor wins back are stranded under an id that nobody watches."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Executor


@defect(
    "forgets-the-recovered",
    clauses=("REC-25",),
    faults=(28,),
    where="core",
    summary="does not remember whom it has had recovered",
)
class ForgetsTheRecovered(Core):
    def _remember(self, executor: Executor) -> None:
        """Gone is gone."""
