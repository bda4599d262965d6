"""An application that nobody registered reads like a wrong key."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.server.gate import Admitted, Gate, Refused


@defect(
    "unknown-application-is-a-bad-key",
    clauses=("CON-4",),
    faults=(25,),
    where="server",
    summary="answers 401 where the application is unknown",
)
class UnknownApplicationIsABadKey(Gate):
    def admit(self, app_segment: str, key_segment: str) -> Admitted | Refused:
        verdict = super().admit(app_segment, key_segment)
        if isinstance(verdict, Refused) and verdict.status == 404:
            return Refused(401, "unknown or revoked key")
        return verdict
