"""uvicorn's HTTP protocol with limits for what a client may send, and a direct hand-over of upgrades.

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
from reference_relay.server.gate import Refused
from reference_relay.server.refusal import refusal

HEAD_BYTES = 64 * 1024  # of one request: its path and headers
HEAD_LINES = 128
BODIES = 4  # a client that sends so many times the longest body, answered or not, is dropped

_TOO_LARGE = Refused(431, f"the request head is larger than {HEAD_BYTES} bytes or {HEAD_LINES} headers")
_BROKEN = Refused(400, "no HTTP request that can be read")
_TOO_EARLY = Refused(400, "an upgrade must wait for the answers to earlier requests")


class HttpProtocol(HttpToolsProtocol):
    """``connect`` makes the connection object of an upgrade.

    A request has ``header_deadline_s`` for its head, and as long again for what is left of a body that was answered
    before its end.
    """

    def __init__(
        self, *args: Any, connect: Callable[[], Connection], header_deadline_s: float, body_bytes: int, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._connect = connect
        self._header_deadline_s = header_deadline_s
        self._deadline: asyncio.TimerHandle | None = None
        self._longest_bytes = HEAD_BYTES + BODIES * body_bytes
        self._bytes = 0  # read since the message began, with all that came along
        self._in_head = True
        self._in_message = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._arm()

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        self._bytes += len(data)
        assert self.parser is not None, "after the hand-over the connection gets the data"
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            if self._should_upgrade():  # of any other kind: nothing to do with it, the request is served as it is
                self._upgrade(data[upgrade.args[0] :])
            return
        except httptools.HttpParserError as error:
            too_large = isinstance(error.__context__, _HeadTooLarge)
            self._refuse(_TOO_LARGE if too_large else _BROKEN)
            return
        if self._in_head and self._bytes > HEAD_BYTES:
            self._refuse(_TOO_LARGE)
        elif self._in_message and self._bytes > self._longest_bytes:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._disarm()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_message = self._in_head = True
        self._bytes = 0
        self._arm()

    def on_header(self, name: bytes, value: bytes) -> None:
        if len(self.headers) >= HEAD_LINES:  # trailers of a chunked body count, too
            raise _HeadTooLarge
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._disarm()
        self._in_head = False
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > HEAD_BYTES:
            raise _HeadTooLarge
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_message = False
        self._disarm()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._in_message:
            self._arm()

    def _refuse(self, refused: Refused) -> None:
        self._disarm()
        self.transport.write(refusal(refused))
        self.transport.close()

    def _upgrade(self, rest: bytes) -> None:
        """``rest``: what came after the request. A client should wait for the answer; what it sent is not lost."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._refuse(_TOO_EARLY)  # the earlier answer would come out in the middle of frames
            return
        self.connections.discard(self)
        headers = Headers((name.decode("latin-1"), value.decode("latin-1")) for name, value in self.headers)
        request = Request(
            path=self.url.decode("latin-1"),
            headers=headers,
            method=self.scope["method"],
            protocol=f"HTTP/{self.scope['http_version']}",
        )
        connection = self._connect()
        connection.accept(self.transport, request, self.connections)
        self.parser: httptools.HttpRequestParser | None = None  # type: ignore[assignment]  # breaks a cycle of references
        if rest:
            connection.data_received(rest)

    def _arm(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self._header_deadline_s, self.transport.abort)

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class _HeadTooLarge(Exception):
    """Raised inside the parser, which ends it."""
