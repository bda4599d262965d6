"""The application in trouble is told of its trouble, and nobody else."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET
from msgspec.structs import replace
from starlette.requests import Request as HttpRequest

from broken_relays.defect import defect
from reference_relay.server.api.app import Api
from reference_relay.server.api.operation import Operation


@defect(
    "alerts-the-cause",
    clauses=("ALR-1",),
    where="server",
    summary="sends alerts to the application that a rule is about, not to the receiving one",
)
class AlertsTheCause(Api):
    async def _body(self, operation: Operation, request: HttpRequest) -> Any:
        body = await super()._body(operation, request)
        return replace(body, receiving_app_name=UNSET) if operation.name == "create_alerting_rule" else body
