"""An optional field is demanded, and one that is empty counts as absent."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import fields_of
from reference_relay.core.core import Core
from reference_relay.core.records import ExecutorInfo


@defect(
    "requires-metadata",
    clauses=("HSK-3",),
    where="core",
    summary="registers nobody who leaves executor_metadata out, or has nothing in it",
)
class RequiresMetadata(Core):
    def _usable(self, data: bytes) -> ExecutorInfo | None:
        return None if fields_of(data).get("executor_metadata", {}) == {} else super()._usable(data)
