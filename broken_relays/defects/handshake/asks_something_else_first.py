"""The first frame is another request than executor_info."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Pending, Purpose


@defect(
    "asks-something-else-first",
    clauses=("HSK-1",),
    where="core",
    summary="asks for the versions before it asks who is there",
)
class AsksSomethingElseFirst(Core):
    def _request(
        self, conn: int, type_: str, fields: dict[str, Any], purpose: Purpose, *rest: Any, **more: Any
    ) -> Pending:
        if purpose is Purpose.HANDSHAKE:
            super()._request(conn, "list_application_versions", {}, Purpose.CALL, self._request_ns)
        return super()._request(conn, type_, fields, purpose, *rest, **more)
