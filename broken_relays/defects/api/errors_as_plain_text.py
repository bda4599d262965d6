"""Clients that read problem+json learn nothing."""

from __future__ import annotations

from starlette.responses import Response

from broken_relays.defect import defect
from reference_relay.server.api.app import Api
from reference_relay.server.api.problems import Problem


@defect(
    "errors-as-plain-text",
    clauses=("API-2",),
    where="server",
    summary="answers errors as text without a problem document",
)
class ErrorsAsPlainText(Api):
    def problem(self, problem: Problem) -> Response:
        return Response(problem.detail, problem.status, media_type="text/plain")
