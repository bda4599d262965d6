"""Allowing the latest version changes nothing for those who wait already."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import AppKey


@defect(
    "ignores-changed-settings",
    clauses=("REC-15",),
    faults=(74,),
    where="core",
    summary="looks for a peer again only when one joins",
)
class IgnoresChangedSettings(Core):
    def _seek_soon(self, app: AppKey, delay_ns: int) -> None:
        if delay_ns:
            super()._seek_soon(app, delay_ns)
