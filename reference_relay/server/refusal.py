"""Answers to an upgrade that is refused: a short JSON body, which SDKs put into their log. It never holds the key."""

from __future__ import annotations

from http import HTTPStatus

import msgspec
from websockets.http11 import Response

from reference_relay.server.gate import Refused

__all__ = ["problem_body", "refusal", "refusal_of"]


def problem_body(status: int, detail: str) -> bytes:
    """RFC 9457."""
    title = HTTPStatus(status).phrase
    return msgspec.json.encode({"type": "about:blank", "status": status, "title": title, "detail": detail})


def refusal(refused: Refused) -> bytes:
    """The whole HTTP/1.1 response."""
    body = problem_body(refused.status, refused.reason)
    lines = [
        f"HTTP/1.1 {refused.status} {HTTPStatus(refused.status).phrase}",
        "Content-Type: application/problem+json",
        f"Content-Length: {len(body)}",
        "Connection: close",
        *(["Upgrade: websocket", "Sec-WebSocket-Version: 13"] if refused.status in (400, 426) else []),
        *(["Allow: GET"] if refused.status == 405 else []),
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body


def refusal_of(response: Response) -> Refused:
    """What the protocol library says of a broken upgrade, as a client error and without its text."""
    status = response.status_code if 400 <= response.status_code < 500 else 400
    return Refused(status, "no valid WebSocket upgrade (RFC 6455, version 13) by GET over HTTP/1.1")
