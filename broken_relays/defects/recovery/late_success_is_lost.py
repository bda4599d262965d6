"""A recovery that was carried out late is carried out again."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "late-success-is-lost",
    clauses=("REC-24",),
    faults=(2, 19),
    where="core",
    summary="does not hear the answer of a peer past its deadline",
)
class LateSuccessIsLost(Core):
    def _let_lapse(self, pending: Pending) -> None:
        self._settle(pending)
