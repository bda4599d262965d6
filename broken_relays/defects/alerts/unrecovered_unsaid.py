"""The work of a dead executor waits, and nobody hears of it."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.effects import CallDone, Outcome
from reference_relay.core.events import Call


@defect(
    "unrecovered-unsaid",
    clauses=("ALR-3",),
    where="core",
    summary="delivers no alert of an executor that nobody recovers",
)
class UnrecoveredUnsaid(Core):
    def _call(self, event: Call) -> None:
        if event.type == "alert" and event.fields["name"] == "ExecutorNotRecovered":
            self._emit(CallDone(event.call_id, Outcome.NO_EXECUTOR))
        else:
            super()._call(event)
