"""The application's name is looked up in every organisation, whosoever the key is."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.records import AppKey
from reference_relay.server.gate import Admitted, Gate, Refused


@defect(
    "opens-other-organisations",
    clauses=("CON-3",),
    faults=(70,),
    where="server",
    summary="lets a key into another organisation that has the application",
)
class OpensOtherOrganisations(Gate):
    def _admit_key(self, app: str, key: str) -> Admitted | Refused:
        admitted = super()._admit_key(app, key)
        if isinstance(admitted, Admitted) and not self._known(admitted.application):
            homes = [
                AppKey(org, app) for org in sorted({org for org, _ in self._by_name}) if self._known(AppKey(org, app))
            ]
            return Admitted(homes[0], admitted.key_name) if homes else admitted
        return admitted
