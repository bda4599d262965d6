"""The caller's mistake reads like the relay's."""

from __future__ import annotations

from starlette.responses import Response

from broken_relays.defect import defect
from reference_relay.server.api.app import Api
from reference_relay.server.api.problems import Problem


@defect("unknown-is-500", clauses=("API-2",), where="server", summary="answers 500 where a thing does not exist")
class UnknownIs500(Api):
    def problem(self, problem: Problem) -> Response:
        return super().problem(Problem(500, problem.detail) if problem.status == 404 else problem)
