"""The others run, and nobody knows their ids."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import changed, fields_of
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "reports-one-fork",
    clauses=("MSG-fork_from_failure",),
    where="core",
    summary="reports the first of several forks only",
)
class ReportsOneFork(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        ids = fields_of(data).get("forked_workflow_ids")
        if pending.type == "fork_from_failure" and isinstance(ids, list):
            data = changed(data, forked_workflow_ids=ids[:1])
        super()._call_answered(pending, data, error_message)
