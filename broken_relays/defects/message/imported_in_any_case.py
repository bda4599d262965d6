"""The caller deletes the original then."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import changed
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "imported-in-any-case",
    clauses=("MSG-import_workflow",),
    faults=(26,),
    where="core",
    summary="reports an import as done whatever the executor says",
)
class ImportedInAnyCase(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        if pending.type == "import_workflow":
            data = changed(data, success=True)
        super()._call_answered(pending, data, error_message)
