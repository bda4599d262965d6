"""A body that breaks the schema is read as an empty one."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request as HttpRequest

from broken_relays.defect import defect
from reference_relay.server.api.app import Api
from reference_relay.server.api.operation import Operation
from reference_relay.server.api.problems import Problem


@defect(
    "ignores-invalid-settings",
    clauses=("API-2",),
    where="server",
    summary="answers an invalid change of settings as if it had been made",
)
class IgnoresInvalidSettings(Api):
    async def _body(self, operation: Operation, request: HttpRequest) -> Any:
        try:
            return await super()._body(operation, request)
        except Problem:
            if operation.name != "update_app" or operation.body is None:
                raise
            return operation.body()
