"""What looks dangerous in an id is taken out of it: another workflow is meant then."""

from __future__ import annotations

import re

from starlette.requests import Request as HttpRequest

from broken_relays.defect import defect
from reference_relay.server.api.app import Api

_ODD = re.compile(r"[^A-Za-z0-9._-]")


@defect("washes-ids", clauses=("API-3",), where="server", summary="takes odd characters out of path parameters")
class WashesIds(Api):
    def _params(self, request: HttpRequest) -> dict[str, str]:
        return {name: _ODD.sub("", value) for name, value in super()._params(request).items()}
