"""A key that the API created opens nothing until the relay is started again."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.server.gate import Admitted, Gate, Refused


@defect(
    "refuses-created-keys", clauses=("CON-1",), where="server", summary="knows no key that was created since it started"
)
class RefusesCreatedKeys(Gate):
    def _admit_key(self, app: str, key: str) -> Admitted | Refused:
        admitted = super()._admit_key(app, key)
        if isinstance(admitted, Admitted) and not self.is_fixed(admitted.application.org, admitted.key_name):
            return Refused(401, "unknown or revoked key")
        return admitted
