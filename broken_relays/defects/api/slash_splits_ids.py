"""The path is decoded before it is routed."""

from __future__ import annotations

from starlette.types import Receive, Scope
from starlette.types import Send as AsgiSend

from broken_relays.defect import defect
from reference_relay.server.api.app import Api


@defect(
    "slash-splits-ids",
    clauses=("API-3",),
    where="server",
    summary="takes an encoded slash in a workflow id for a separator",
)
class SlashSplitsIds(Api):
    async def __call__(self, scope: Scope, receive: Receive, send: AsgiSend) -> None:
        if scope["type"] == "http":
            scope["raw_path"] = scope["raw_path"].replace(b"%2F", b"/").replace(b"%2f", b"/")
        await super().__call__(scope, receive, send)
