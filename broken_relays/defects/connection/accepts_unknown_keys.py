"""An unknown key is let in, as if there were no keys."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.records import AppKey
from reference_relay.server.gate import Admitted, Gate, Refused


@defect(
    "accepts-unknown-keys",
    clauses=("CON-2",),
    faults=(25,),
    where="server",
    summary="lets an unknown key into whatever application has the name",
)
class AcceptsUnknownKeys(Gate):
    def _admit_key(self, app: str, key: str) -> Admitted | Refused:
        admitted = super()._admit_key(app, key)
        homes = [AppKey(org, app) for org in sorted({org for org, _ in self._by_name}) if self._known(AppKey(org, app))]
        return Admitted(homes[0], "") if isinstance(admitted, Refused) and homes else admitted
