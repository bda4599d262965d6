"""The default grace period is not the documented one."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from broken_relays.defect import defect
from reference_relay.core.events import Event, PutApplication
from reference_relay.server.hub import Hub
from reference_relay.store import Write


@defect(
    "longer-by-default",
    clauses=("LIV-9",),
    where="server",
    summary="gives a new application twice the default grace period",
)
class LongerByDefault(Hub):
    def feed(self, event: Event, writes: Sequence[Write] = ()) -> None:
        if isinstance(event, PutApplication) and event.application not in self.core.applications:
            settings = replace(event.settings, executor_timeout_s=2 * event.settings.executor_timeout_s)
            event = replace(event, settings=settings)
        super().feed(event, writes)
