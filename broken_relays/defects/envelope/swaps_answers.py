"""Answers are matched by their order and not by their ids."""

from __future__ import annotations

from msgspec.structs import replace

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "swaps-answers", clauses=("ENV-2",), where="core", summary="gives each answer to the caller that has waited longest"
)
class SwapsAnswers(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        waiting = [other for other in self._requests_on(pending.conn) if other.type == pending.type]
        if waiting:
            oldest = waiting[0]
            self._put("pending", oldest.request_id, replace(oldest, call_id=pending.call_id))
            pending = replace(pending, call_id=oldest.call_id)
        super()._call_answered(pending, data, error_message)
