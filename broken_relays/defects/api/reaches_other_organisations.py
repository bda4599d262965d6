"""A valid token is enough: whose it is is not looked at."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.server.api.app import Api
from reference_relay.server.gate import Subject


@defect(
    "reaches-other-organisations",
    clauses=("API-1",),
    faults=(70,),
    where="server",
    summary="serves any organisation's token in every organisation",
)
class ReachesOtherOrganisations(Api):
    def admit(self, subject: Subject, org: str) -> None:
        """Come in."""
