"""Names of applications are taken to be unique in the world."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.records import AppKey
from reference_relay.server.gate import Admitted, Gate, Refused


@defect(
    "finds-applications-by-name",
    clauses=("CON-3",),
    faults=(70,),
    where="server",
    summary="lets any key into the first organisation that has an application of the name",
)
class FindsApplicationsByName(Gate):
    def _admit_key(self, app: str, key: str) -> Admitted | Refused:
        admitted = super()._admit_key(app, key)
        if isinstance(admitted, Refused):
            return admitted
        homes = [AppKey(org, app) for org in sorted({org for org, _ in self._by_name}) if self._known(AppKey(org, app))]
        return Admitted(homes[0], admitted.key_name) if homes else admitted
