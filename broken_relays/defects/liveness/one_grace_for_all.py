"""A setting of one application is kept as the relay's."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.config import ns
from reference_relay.core.core import Core
from reference_relay.core.events import PutApplication
from reference_relay.core.records import AppKey


@defect(
    "one-grace-for-all",
    clauses=("LIV-9",),
    where="core",
    summary="applies the last change of a grace to every application",
)
class OneGraceForAll(Core):
    _grace_s: int | None = None

    def _put_application(self, event: PutApplication) -> None:
        self._grace_s = event.settings.executor_timeout_s
        super()._put_application(event)

    def _grace_ns(self, application: AppKey) -> int:
        return super()._grace_ns(application) if self._grace_s is None else ns(self._grace_s)
