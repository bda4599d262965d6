"""That a token is there is taken for proof that it is a good one."""

from __future__ import annotations

from starlette.requests import Request as HttpRequest

from broken_relays.defect import defect
from reference_relay.names import PERMISSIONS
from reference_relay.server.api.app import Api
from reference_relay.server.api.operation import ApiRequest, Operation
from reference_relay.server.gate import Subject


@defect(
    "takes-any-token",
    clauses=("API-1",),
    faults=(57,),
    where="server",
    summary="serves whoever sends an Authorization header, whatever is in it",
)
class TakesAnyToken(Api):
    def enter(self, operation: Operation, request: HttpRequest) -> ApiRequest:
        authorization = request.headers.get("authorization")
        if authorization is None or self.context.gate.caller(authorization) is not None:
            return super().enter(operation, request)
        params = self._params(request)
        somebody = Subject(params["orgName"], "somebody", frozenset(PERMISSIONS), None)
        return ApiRequest(self.context, operation, somebody, params)
