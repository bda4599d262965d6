"""A queue that is stopped is shown as one without a limit."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import changed, fields_of
from reference_relay.core.core import Core
from reference_relay.core.records import Pending

_LIMITS = ("concurrency", "worker_concurrency", "rate_limit_max")


@defect(
    "zero-is-no-limit",
    clauses=("MSG-list_queues",),
    where="core",
    summary="shows limits of zero as none in a list of queues",
)
class ZeroIsNoLimit(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        rows = fields_of(data).get("output")
        if pending.type == "list_queues" and isinstance(rows, list):
            data = changed(data, output=[{k: v or None if k in _LIMITS else v for k, v in row.items()} for row in rows])
        super()._call_answered(pending, data, error_message)
