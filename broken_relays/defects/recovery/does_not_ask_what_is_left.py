"""The record goes without a question for pending rows."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import ExecutorKey


@defect(
    "does-not-ask-what-is-left", clauses=("REC-21",), faults=(1, 26), where="core", summary="believes every success"
)
class DoesNotAskWhatIsLeft(Core):
    def _verify(self, key: ExecutorKey, conn: int) -> None:
        if self._recovery_of(key) is not None:
            self._delete_recovered(key, verified=False)
