"""Clients iterate over the answer itself."""

from __future__ import annotations

from starlette.responses import Response

from broken_relays.defect import defect
from reference_relay.server.api.app import Api
from reference_relay.server.api.operation import Operation


@defect(
    "wraps-lists",
    clauses=("API-4",),
    where="server",
    summary="answers lists in an envelope",
)
class WrapsLists(Api):
    def answer(self, operation: Operation, result: object) -> Response:
        return super().answer(operation, {"items": result} if isinstance(result, list) else result)
