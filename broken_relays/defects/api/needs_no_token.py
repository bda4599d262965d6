"""The check is left out where there is nothing to check."""

from __future__ import annotations

from starlette.requests import Request as HttpRequest

from broken_relays.defect import defect
from reference_relay.names import PERMISSIONS
from reference_relay.server.api.app import Api
from reference_relay.server.api.operation import ApiRequest, Operation
from reference_relay.server.gate import Subject


@defect(
    "needs-no-token",
    clauses=("API-1",),
    faults=(57,),
    where="server",
    summary="serves whoever sends no Authorization header at all",
)
class NeedsNoToken(Api):
    def enter(self, operation: Operation, request: HttpRequest) -> ApiRequest:
        if "authorization" in request.headers:
            return super().enter(operation, request)
        params = self._params(request)
        nobody = Subject(params["orgName"], "nobody", frozenset(PERMISSIONS), None)
        return ApiRequest(self.context, operation, nobody, params)
