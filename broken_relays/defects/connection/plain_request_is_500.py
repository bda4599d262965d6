"""Whoever comes with a browser is told that the relay is broken."""

from __future__ import annotations

from starlette.requests import Request as HttpRequest
from starlette.responses import Response

from broken_relays.defect import defect
from reference_relay.server.api.app import Api
from reference_relay.server.api.problems import Problem


@defect(
    "plain-request-is-500",
    clauses=("CON-7",),
    where="server",
    summary="answers 500 to what is no upgrade on the executors' path",
)
class PlainRequestIs500(Api):
    async def not_upgraded(self, request: HttpRequest) -> Response:
        return self.problem(Problem(500, "internal error"))
