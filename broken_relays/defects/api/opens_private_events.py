"""A whole answer of payload is no exception."""

from __future__ import annotations

from msgspec.structs import replace
from starlette.requests import Request as HttpRequest

from broken_relays.defect import defect
from reference_relay.core.records import Application
from reference_relay.server.api.app import Api
from reference_relay.server.api.operation import ApiRequest, Operation


class _Open(ApiRequest):
    @property
    def application(self) -> Application:
        found = super().application
        if self.operation.method != "GET" or "/workflows/" not in self.operation.path:
            return found
        return replace(found, settings=replace(found.settings, private_mode=False))


@defect(
    "opens-private-events",
    clauses=("API-6",),
    where="server",
    summary="reads events, streams and exports of applications in private mode",
)
class OpensPrivateEvents(Api):
    def enter(self, operation: Operation, request: HttpRequest) -> ApiRequest:
        call = super().enter(operation, request)
        return _Open(call.context, call.operation, call.subject, call.params)
