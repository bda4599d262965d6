"""Revocation takes the key out of the list, not out of the look-up of upgrades."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.revocation import RemembersRevoked
from reference_relay.core.records import AppKey
from reference_relay.server.gate import Admitted, Refused, digest


@defect(
    "accepts-revoked-keys",
    clauses=("CON-2",),
    faults=(25,),
    where="server",
    summary="lets a revoked key open connections for ever",
)
class AcceptsRevokedKeys(RemembersRevoked):
    def _admit_key(self, app: str, key: str) -> Admitted | Refused:
        record = self.revoked.get(digest(key))
        return super()._admit_key(app, key) if record is None else Admitted(AppKey(record.org, app), record.name)
