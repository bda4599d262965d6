"""A queue that stands still is nobody's concern."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.effects import CallDone, Outcome
from reference_relay.core.events import Call


@defect(
    "slow-queues-unsaid",
    clauses=("ALR-1", "ALR-2"),
    where="core",
    summary="delivers no alert of a slow queue",
)
class SlowQueuesUnsaid(Core):
    def _call(self, event: Call) -> None:
        if event.type == "alert" and event.fields["name"] == "SlowQueue":
            self._emit(CallDone(event.call_id, Outcome.NO_EXECUTOR))
        else:
            super()._call(event)
