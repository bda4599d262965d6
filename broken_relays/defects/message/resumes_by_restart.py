"""A message from older days, which Go does not know."""

from __future__ import annotations

from typing import Any

import msgspec

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.effects import Send
from reference_relay.core.records import Pending


@defect(
    "resumes-by-restart",
    clauses=("MSG-restart",),
    faults=(26,),
    where="core",
    summary="sends restart before each resume",
)
class ResumesByRestart(Core):
    def _request(self, conn: int, type_: str, fields: dict[str, Any], *rest: Any, **more: Any) -> Pending:
        if type_ == "resume":
            message = {"type": "restart", "request_id": "restart", "workflow_id": fields["workflow_id"]}
            self._emit(Send(conn, "restart", "restart", msgspec.json.encode(message)))
        return super()._request(conn, type_, fields, *rest, **more)
