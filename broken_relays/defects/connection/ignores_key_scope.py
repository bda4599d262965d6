"""The applications that a key is limited to are not looked at."""

from __future__ import annotations

from msgspec.structs import replace

from broken_relays.defect import defect
from reference_relay.server.gate import Gate
from reference_relay.store import KeyRecord


@defect(
    "ignores-key-scope",
    clauses=("CON-3",),
    faults=(70,),
    where="server",
    summary="takes a key of one application for all of them",
)
class IgnoresKeyScope(Gate):
    def _find(self, key: str) -> KeyRecord | None:
        record = super()._find(key)
        return None if record is None else replace(record, applications=None)
