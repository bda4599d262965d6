"""Two requests of one type on one connection have the same id."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "reuses-request-ids",
    clauses=("ENV-1",),
    faults=(67,),
    where="core",
    summary="numbers requests by connection and type alone",
)
class ReusesRequestIds(Core):
    _asking = ""

    def _request(self, conn: int, type_: str, *rest: Any, **more: Any) -> Pending:
        self._asking = f"{conn}-{type_}"
        return super()._request(conn, type_, *rest, **more)

    def _request_id(self) -> str:
        return f"{self.config.request_prefix}-{self._asking}"
