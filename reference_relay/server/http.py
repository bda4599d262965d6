"""uvicorn's HTTP protocol with two changes: a deadline for the request head, and a direct hand-over of upgrades.

uvicorn would write the parsed upgrade request out again for the WebSocket class to parse a second time; measured, that
is most of what an accept costs. Pinned to uvicorn 0.54, whose class this derives from.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from websockets.datastructures import Headers
from websockets.http11 import Request

from reference_relay.server.connection import Connection


class HttpProtocol(HttpToolsProtocol):
    """``connect`` makes the connection object of an upgrade."""

    def __init__(self, *args: Any, connect: Callable[[], Connection], header_deadline_s: float, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._connect = connect
        self._header_deadline_s = header_deadline_s
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._deadline = self.loop.call_later(self._header_deadline_s, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        self._disarm()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._deadline is None:  # a later request of the same connection
            self._deadline = self.loop.call_later(self._header_deadline_s, self.transport.abort)

    def on_headers_complete(self) -> None:
        self._disarm()
        super().on_headers_complete()

    def handle_websocket_upgrade(self) -> None:
        self.connections.discard(self)
        headers = Headers((name.decode("latin-1"), value.decode("latin-1")) for name, value in self.headers)
        request = Request(
            path=self.url.decode("latin-1"),
            headers=headers,
            method=self.scope["method"],
            protocol=f"HTTP/{self.scope['http_version']}",
        )
        self._connect().accept(self.transport, request, self.connections)
        self.parser: httptools.HttpRequestParser | None = None  # type: ignore[assignment]  # breaks a cycle of references

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
