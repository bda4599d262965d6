"""Revocation ends connections, but no calls."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.revocation import RemembersRevoked
from reference_relay.server.gate import Subject, digest


@defect(
    "keeps-revoked-tokens",
    clauses=("API-1",),
    faults=(25,),
    where="server",
    summary="goes on serving tokens that were revoked",
)
class KeepsRevokedTokens(RemembersRevoked):
    def caller(self, authorization: str | None) -> Subject | None:
        record = self.revoked.get(digest((authorization or "").partition(" ")[2]))
        if record is None:
            return super().caller(authorization)
        return Subject(record.org, record.name, frozenset(record.permissions), None)
