"""Nobody else could it be: the list does not wait for the answer."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.events import Opened
from reference_relay.core.records import Status


@defect(
    "guesses-who-dials",
    clauses=("HSK-6",),
    where="core",
    summary="lists the executor that was lost as HEALTHY as soon as anybody dials",
)
class GuessesWhoDials(Core):
    def _opened(self, event: Opened) -> None:
        super()._opened(event)
        for executor in self.executors_of(event.application):
            if executor.status is Status.DISCONNECTED and event.conn in self.connections:
                self._register(self.connections[event.conn], executor.info)
                return
