"""Whoever is called every second stops listening."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace
from starlette.requests import Request as HttpRequest

from broken_relays.defect import defect
from reference_relay.server.api.app import Api
from reference_relay.server.api.operation import Operation


@defect(
    "alert-storm",
    clauses=("ALR-2",),
    where="server",
    summary="fires a rule every second, whatever its minimum interval",
)
class AlertStorm(Api):
    async def _body(self, operation: Operation, request: HttpRequest) -> Any:
        body = await super()._body(operation, request)
        return replace(body, min_interval_secs=1) if operation.name == "create_alerting_rule" else body
