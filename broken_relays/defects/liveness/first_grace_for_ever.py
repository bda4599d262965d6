"""A change of executorTimeoutSecs is shown and has no effect."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.config import CoreConfig, ns
from reference_relay.core.core import Core
from reference_relay.core.events import PutApplication
from reference_relay.core.records import AppKey


@defect(
    "first-grace-for-ever", clauses=("LIV-9",), where="core", summary="keeps the grace that an application had first"
)
class FirstGraceForEver(Core):
    def __init__(self, config: CoreConfig | None = None) -> None:
        super().__init__(config)
        self._changes: dict[AppKey, list[int]] = {}

    def _put_application(self, event: PutApplication) -> None:
        self._changes.setdefault(event.application, []).append(event.settings.executor_timeout_s)
        super()._put_application(event)

    def _grace_ns(self, application: AppKey) -> int:
        """The first change is the one that makes the application."""
        changes = self._changes.get(application)
        return ns(changes[:2][-1]) if changes else super()._grace_ns(application)
