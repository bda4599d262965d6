"""Which pages there are, and what they are answered as."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

from reference_relay.server.pages import policy_of, render

__all__ = ["docs_page", "json_document", "status_page"]


def status_page(auth: str) -> Response:
    """``auth`` is the relay's mode: with "none" the page needs no key."""
    return _html(render("status", {"auth": auth}))


def docs_page(document: dict[str, Any]) -> Response:
    tags: dict[str, list[dict[str, Any]]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            tags.setdefault(operation["tags"][0], []).append({**operation, "method": method.upper(), "path": path})
    return _html(render("docs", {**document, "tags": tags}))


def json_document(document: dict[str, Any]) -> Response:
    return Response(msgspec.json.encode(document), media_type="application/json")


def _html(page: str) -> Response:
    headers = {"Content-Security-Policy": policy_of(page), "Cache-Control": "no-store"}
    return Response(page, headers=headers, media_type="text/html")
