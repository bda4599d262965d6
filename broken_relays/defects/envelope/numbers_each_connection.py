"""Requests of two connections have the same id: right by itself, but the waiters are kept in one table."""

from __future__ import annotations

from collections import Counter
from typing import Any

from broken_relays.defect import defect
from reference_relay.core.config import CoreConfig
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "numbers-each-connection",
    clauses=("ENV-2",),
    faults=(67,),
    where="core",
    summary="keeps one table of waiters for ids that are unique on their connection only",
)
class NumbersEachConnection(Core):
    def __init__(self, config: CoreConfig | None = None) -> None:
        super().__init__(config)
        self._asked: Counter[int] = Counter()
        self._asking = 0

    def _request(self, conn: int, *rest: Any, **more: Any) -> Pending:
        self._asking = conn
        return super()._request(conn, *rest, **more)

    def _request_id(self) -> str:
        self._asked[self._asking] += 1
        return f"{self.config.request_prefix}-{self._asked[self._asking]}"
