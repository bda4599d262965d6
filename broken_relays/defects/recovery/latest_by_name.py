"""v9 is later than v10."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import AppKey


@defect(
    "latest-by-name",
    clauses=("REC-14",),
    faults=(6,),
    where="core",
    summary="takes the version that sorts last by name for the latest",
)
class LatestByName(Core):
    def _set_latest(self, app: AppKey, version: str) -> None:
        known = [executor.info.application_version for executor in self.executors_of(app)]
        super()._set_latest(app, max([version, *known]))
