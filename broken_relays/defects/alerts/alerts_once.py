"""After the first alert a trouble is forgotten."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET
from msgspec.structs import replace
from starlette.requests import Request as HttpRequest

from broken_relays.defect import defect
from reference_relay.server.api.app import Api
from reference_relay.server.api.operation import Operation


@defect(
    "alerts-once",
    clauses=("ALR-5",),
    where="server",
    summary="fires a rule once while its condition stands, whatever its minimum interval",
)
class AlertsOnce(Api):
    async def _body(self, operation: Operation, request: HttpRequest) -> Any:
        body = await super()._body(operation, request)
        return replace(body, min_interval_secs=UNSET) if operation.name == "create_alerting_rule" else body
