"""The type is taken for a part of the request's id."""

from __future__ import annotations

from collections import Counter
from typing import Any

from broken_relays.defect import defect
from reference_relay.core.config import CoreConfig
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "numbers-each-type",
    clauses=("ENV-1",),
    faults=(67,),
    where="core",
    summary="numbers the requests of each type from one",
)
class NumbersEachType(Core):
    def __init__(self, config: CoreConfig | None = None) -> None:
        super().__init__(config)
        self._asked: Counter[str] = Counter()
        self._asking = ""

    def _request(self, conn: int, type_: str, *rest: Any, **more: Any) -> Pending:
        self._asking = type_
        return super()._request(conn, type_, *rest, **more)

    def _request_id(self) -> str:
        self._asked[self._asking] += 1
        return f"{self.config.request_prefix}-{self._asked[self._asking]}"
