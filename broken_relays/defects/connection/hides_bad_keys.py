"""A bad key looks to its executor like an application that is not there."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.server.gate import Admitted, Gate, Refused


@defect("hides-bad-keys", clauses=("CON-8",), faults=(25,), where="server", summary="answers 404 to a bad key")
class HidesBadKeys(Gate):
    def admit(self, app_segment: str, key_segment: str) -> Admitted | Refused:
        verdict = super().admit(app_segment, key_segment)
        if isinstance(verdict, Refused) and verdict.status in (401, 403):
            return Refused(404, "no such application")
        return verdict
