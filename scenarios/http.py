"""A small HTTP/1.1 client for many short requests beside each other.

General clients keep one pool that every request walks through: with a hundred pollers that costs more than the requests
(measured: a third of a run's processor time). Here a request takes a free connection or opens one; nothing else. No
redirects, no proxies, no cookies: a relay's answers are judged as they come.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httptools

from scenarios.errors import ScenarioError
from scenarios.sharing import Shared

IDLE_S = 2.0
"""A connection that was idle for longer is not used again: servers end them after some seconds, without a word."""


class HttpError(ScenarioError):
    """No answer: the connection failed, broke, or what came was no HTTP."""


@dataclass(frozen=True, slots=True)
class Response:
    """``headers`` with names in lower case; of a repeated one the last."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "")


class HttpClient:
    """Reuses connections per host and port. `close` ends them all. ``shared``: readings that many want at once."""

    def __init__(self) -> None:
        self.shared = Shared()
        self._idle: dict[tuple[str, int], list[_Connection]] = {}

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        within_s: float = 30.0,
    ) -> Response:
        """One request. Raises `HttpError`, also when no whole answer came within ``within_s``."""
        parts = urlsplit(url)
        secure = parts.scheme == "https"
        place = (parts.hostname or "", parts.port or (443 if secure else 80))
        target = url.split("//", 1)[1].partition("/")
        data = _encoded(method, "/" + target[2].partition("#")[0], target[0], headers or {}, content)
        try:
            async with asyncio.timeout(within_s):
                return await self._exchange(method, place, secure, data)
        except TimeoutError:
            raise HttpError(f"{method}: no answer within {within_s:g} s") from None
        except OSError as problem:
            raise HttpError(f"{method}: {problem or type(problem).__name__}") from problem

    def close(self) -> None:
        for connections in self._idle.values():
            for connection in connections:
                connection.abort()
        self._idle.clear()

    async def _exchange(self, method: str, place: tuple[str, int], secure: bool, data: bytes) -> Response:
        connection = self._free(place)
        if connection is not None:
            try:
                return await self._on(connection, method, place, data)
            except ConnectionError:
                if method != "GET":  # it may have been carried out
                    raise
        _, connection = await asyncio.get_running_loop().create_connection(_Connection, *place, ssl=secure or None)
        return await self._on(connection, method, place, data)

    async def _on(self, connection: _Connection, method: str, place: tuple[str, int], data: bytes) -> Response:
        try:
            response = await connection.exchange(data, bodyless=method == "HEAD")
        except BaseException:
            connection.abort()
            raise
        if connection.reusable:
            connection.idle_since_s = time.monotonic()
            self._idle.setdefault(place, []).append(connection)
        else:
            connection.abort()
        return response

    def _free(self, place: tuple[str, int]) -> _Connection | None:
        idle = self._idle.get(place, [])
        while idle:
            connection = idle.pop()
            if connection.usable and time.monotonic() - connection.idle_since_s < IDLE_S:
                return connection
            connection.abort()
        return None


@dataclass(slots=True, eq=False)
class _Connection(asyncio.Protocol):
    """One exchange after the other. The callbacks named ``on_...`` are httptools'."""

    idle_since_s: float = 0.0
    reusable: bool = False
    _transport: asyncio.Transport | None = None
    _answer: asyncio.Future[Response] | None = None
    _parser: httptools.HttpResponseParser | None = None
    _bodyless: bool = False
    _headers: dict[str, str] = field(default_factory=dict)
    _body: list[bytes] = field(default_factory=list)

    @property
    def usable(self) -> bool:
        """Whether the other side has not ended it yet, as far as anybody knows."""
        return self.reusable and self._transport is not None and not self._transport.is_closing()

    async def exchange(self, data: bytes, *, bodyless: bool) -> Response:
        assert self._transport is not None
        self._answer = asyncio.get_running_loop().create_future()
        self._parser = httptools.HttpResponseParser(self)
        self._bodyless, self._headers, self._body = bodyless, {}, []
        self._transport.write(data)
        return await self._answer

    def abort(self) -> None:
        self.reusable = False
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if self._parser is None:
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._finish(reusable=False)
        except httptools.HttpParserError as problem:
            self._fail(ConnectionError(f"no HTTP answer: {problem}"))

    def connection_lost(self, exc: Exception | None) -> None:
        self.reusable = False
        if self._parser is not None and self._headers and "content-length" not in self._headers:
            self._finish(reusable=False)  # a body that ends with the connection
        self._fail(ConnectionResetError("the connection ended without a whole answer"))

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        if self._bodyless:
            self._finish(reusable=False)

    def on_body(self, body: bytes) -> None:
        self._body.append(body)

    def on_message_complete(self) -> None:
        assert self._parser is not None
        self._finish(reusable=self._parser.should_keep_alive())

    def _finish(self, *, reusable: bool) -> None:
        assert self._parser is not None
        if self._answer is not None and not self._answer.done():
            self.reusable = reusable
            status = self._parser.get_status_code()
            self._answer.set_result(Response(status, dict(self._headers), b"".join(self._body)))

    def _fail(self, problem: OSError) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(problem)


def _encoded(method: str, target: str, host: str, headers: Mapping[str, str], content: bytes | None) -> bytes:
    lines = [f"{method} {target} HTTP/1.1", f"host: {host}", *(f"{name}: {value}" for name, value in headers.items())]
    if content is not None:
        lines.append(f"content-length: {len(content)}")
    elif method in ("POST", "PUT", "PATCH"):
        lines.append("content-length: 0")
    return "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n" + (content or b"")
