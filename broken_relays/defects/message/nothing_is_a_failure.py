"""An executor that finds nothing is taken for one that failed."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import fields_of
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "nothing-is-a-failure",
    clauses=("MSG-get_workflow", "MSG-list_steps"),
    where="core",
    summary="answers 502 where the executor found no workflow or no steps",
)
class NothingIsAFailure(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        if pending.type in ("get_workflow", "list_steps") and not fields_of(data).get("output"):
            self._call_failed(pending, "the executor found nothing")
        else:
            super()._call_answered(pending, data, error_message)
