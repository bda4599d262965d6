"""A workflow id with a percent sign in it names another workflow."""

from __future__ import annotations

from urllib.parse import unquote

from starlette.requests import Request as HttpRequest

from broken_relays.defect import defect
from reference_relay.server.api.app import Api


@defect("decodes-ids-twice", clauses=("API-3",), where="server", summary="percent-decodes path parameters twice")
class DecodesIdsTwice(Api):
    def _params(self, request: HttpRequest) -> dict[str, str]:
        return {name: unquote(value) for name, value in super()._params(request).items()}
