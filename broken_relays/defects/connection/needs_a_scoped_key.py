"""A key without a list of applications is taken for one that is for none."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.server.gate import Admitted, Gate, Refused


@defect(
    "needs-a-scoped-key",
    clauses=("CON-1",),
    where="server",
    summary="lets nobody in by a key that is not limited to applications",
)
class NeedsAScopedKey(Gate):
    def _admit_key(self, app: str, key: str) -> Admitted | Refused:
        record = self._find(key)
        if record is not None and record.applications is None:
            return Refused(403, "the key is not for this application")
        return super()._admit_key(app, key)
