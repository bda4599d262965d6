"""A scripted executor on real sockets: an identity with any number of links."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Protocol
from urllib.parse import quote

import msgspec
from websockets.frames import Frame, Opcode
from websockets.uri import WebSocketURI, parse_uri

from evidence import events
from evidence.history import Recorder
from scenarios.scripting import Answerer, Plan
from scenarios.wire.link import Link
from scenarios.wire.windows import Windows
from scenarios.world import App, Script

CLOSE_WAIT_S = 1.0
"""How long an executor that closed in good order waits for the relay's end of the socket."""


class Surroundings(Protocol):
    """What an executor needs of its world."""

    recorder: Recorder
    upgrade_deadline_s: float

    def now_ns(self) -> int: ...

    def next_conn(self) -> int: ...

    def relay_url(self) -> str: ...

    def pulse(self) -> None:
        """Something happened that somebody may wait for."""
        ...

    def run(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """In the background, until the world ends."""
        ...

    async def wait(self, true: Callable[[], bool], within_s: float) -> bool: ...


class WireExecutor:
    """See `scenarios.world.Executor`."""

    def __init__(
        self,
        world: Surroundings,
        app: App,
        id: str,
        *,
        key: str,
        info: Mapping[str, Any],
        script: Script,
        path: str | None,
    ) -> None:
        self.id = id
        self.app = app
        self.conn = -1
        self.windows = Windows()
        self.requests: list[tuple[int, dict[str, Any]]] = []  # every request of the relay with its connection
        self.pings: dict[int, int] = {}  # by connection: how many the relay sent
        self._world = world
        self._answerer = Answerer(info, script)
        self._path = f"/websocket/{quote(app.name, safe='')}/{quote(key, safe='')}" if path is None else path
        self._links: dict[int, Link] = {}
        self._left = False

    # ---------------------------------------------------------------- scenarios.world.Executor

    async def connect(self, *, wait: bool = True) -> int:
        link = self._new_link()
        dialling = self._dial(link)
        if not wait:
            self._world.run(dialling)
            return link.conn
        await dialling
        if link.upgraded.result():
            await self._world.wait(lambda: link.closed or self._introduced(link.conn), self._world.upgrade_deadline_s)
        return link.conn

    def script(self, script: Script) -> None:
        self._answerer.script = script
        for link in self._links.values():
            link.read(script.reading)

    async def close(self, code: int = 1000, *, conn: int | None = None) -> None:
        link = self._link(conn)
        link.send_close(code)
        await self._world.wait(lambda: link.closed, CLOSE_WAIT_S)
        link.abort("fin")

    async def drop(self, how: str = "rst", *, conn: int | None = None) -> None:
        if how not in ("rst", "fin", "kill"):
            raise ValueError(f"drop({how!r}): give 'rst', 'fin' or 'kill'")
        link = self._link(conn)
        self._world.recorder.add(events.Fault, kind="drop", conn=link.conn, executor=self.id, detail={"how": how})
        link.abort("rst" if how == "rst" else "fin")

    async def half_close(self, *, conn: int | None = None) -> None:
        link = self._link(conn)
        self._fault("half-close", link)
        link.end_sending()

    async def freeze(self, *, conn: int | None = None) -> None:
        link = self._link(conn)
        self._fault("freeze", link)
        link.freeze()

    async def thaw(self, *, conn: int | None = None) -> None:
        link = self._link(conn)
        self._fault("thaw", link)
        link.thaw()

    async def send(self, frame: Mapping[str, Any] | bytes | str, *, conn: int | None = None) -> None:
        self._send(self._link(conn), Opcode.TEXT, _payload(frame))

    async def send_raw(self, data: bytes, *, conn: int | None = None) -> None:
        self._link(conn).send_raw(data)

    async def send_binary(self, data: bytes, *, conn: int | None = None) -> None:
        self._send(self._link(conn), Opcode.BINARY, data)

    async def ping(self, payload: bytes = b"", *, conn: int | None = None) -> None:
        self._send(self._link(conn), Opcode.PING, payload)

    async def pong(self, payload: bytes = b"", *, conn: int | None = None) -> None:
        self._send(self._link(conn), Opcode.PONG, payload)

    # ---------------------------------------------------------------- for the world

    def closed(self, conn: int | None) -> bool:
        """Whether the relay, or anybody, has ended this connection."""
        return self._link(conn).closed

    def leave(self) -> None:
        """The world ends: no redial, no close handshake."""
        self._left = True
        for link in self._links.values():
            link.abort("rst")

    # ---------------------------------------------------------------- inside

    def _new_link(self) -> Link:
        self.conn = self._world.next_conn()
        link = Link(self.conn, self._uri(), self._world.recorder, self._incoming, self._ended)
        self._links[link.conn] = link
        info = self._answerer.info
        self._world.recorder.add(
            events.Open, conn=link.conn, org=self.app.org, app=self.app.name, executor=self.id,
            version=_text(info.get("application_version")), language=_text(info.get("language")),
        )  # fmt: skip
        return link

    def _uri(self) -> WebSocketURI:
        base = self._world.relay_url().replace("http", "ws", 1)
        whole = parse_uri(base)
        # Not parsed: a scenario's path may be anything, "//websocket" or an illegal escape included.
        prefix = whole.path.rstrip("/") if self._path.startswith("/") else ""
        return WebSocketURI(whole.secure, whole.host, whole.port, prefix + self._path, "")

    async def _dial(self, link: Link) -> None:
        uri = self._uri()
        try:
            async with asyncio.timeout(self._world.upgrade_deadline_s):
                await asyncio.get_running_loop().create_connection(
                    lambda: link, uri.host, uri.port, ssl=uri.secure or None
                )
                await asyncio.shield(link.upgraded)
        except TimeoutError:
            link.refuse(0, f"no answer to the upgrade within {self._world.upgrade_deadline_s:g} s")
        except OSError as problem:
            link.refuse(0, str(problem))
        if link.upgraded.result():
            self.windows.alive(self._world.now_ns())
            link.read(self._answerer.script.reading)
            if self._answerer.script.client_ping_s is not None:
                self._world.run(self._ping_on(link, self._answerer.script.client_ping_s))

    def _introduced(self, conn: int) -> bool:
        """executor_info was asked on this connection (and, unless the script delays it, answered)."""
        return any(number == conn and request.get("type") == "executor_info" for number, request in self.requests)

    def _incoming(self, link: Link, frame: Frame) -> None:
        if frame.opcode is Opcode.TEXT:
            self._asked(link, bytes(frame.data))
        elif frame.opcode is Opcode.PING:
            self.pings[link.conn] = self.pings.get(link.conn, 0) + 1
            self._pinged(link, bytes(frame.data))
        elif frame.opcode is Opcode.CLOSE:
            link.echo_close(frame)
        self._world.pulse()

    def _asked(self, link: Link, data: bytes) -> None:
        text = data.decode("utf-8", "replace")
        try:
            request = msgspec.json.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            request = None
        if isinstance(request, dict):
            self.requests.append((link.conn, request))
        plan = self._answerer.plan(text)
        if plan is None:
            return
        if plan.after_s:
            self._world.run(self._carry_out_later(link, plan))
        else:
            self._carry_out(link, plan)

    async def _carry_out_later(self, link: Link, plan: Plan) -> None:
        await asyncio.sleep(plan.after_s)
        self._carry_out(link, plan)

    def _carry_out(self, link: Link, plan: Plan) -> None:
        for payload in plan.payloads:
            self._send(link, Opcode.TEXT, payload, fragments=plan.fragments)
        match plan.then:
            case "close":
                self._world.run(self.close(conn=link.conn))
            case "rst" | "fin":
                self._world.run(self.drop(plan.then, conn=link.conn))
            case "freeze":
                self._fault("freeze", link)
                link.freeze()

    def _send(self, link: Link, opcode: Opcode, payload: bytes, *, fragments: int = 1) -> None:
        link.send(opcode, payload, fragments=fragments, between=b"between" if fragments > 1 else None)
        if not link.frozen and not link.closed:
            self.windows.alive(self._world.now_ns())
        self._world.pulse()

    def _pinged(self, link: Link, payload: bytes) -> None:
        script = self._answerer.script
        if script.pongs and script.pong_after_s:
            self._world.run(self._pong_later(link, payload, script.pong_after_s))
        elif script.pongs:
            self._pong(link, payload)

    async def _pong_later(self, link: Link, payload: bytes, after_s: float) -> None:
        await asyncio.sleep(after_s)
        self._pong(link, payload)

    def _pong(self, link: Link, payload: bytes) -> None:
        for _ in range(self._answerer.script.pong_repeat):
            self._send(link, Opcode.PONG, payload)

    async def _ping_on(self, link: Link, interval_s: float) -> None:
        while not link.closed:
            await asyncio.sleep(interval_s)
            self._send(link, Opcode.PING, b"")

    def _ended(self, link: Link) -> None:
        self._world.pulse()
        if link.upgraded.result() and all(other.closed for other in self._links.values()):
            self.windows.ended(self._world.now_ns())
        if self._answerer.script.redial_s is not None and not self._left:
            self._world.run(self._redial(link, self._answerer.script.redial_s))

    async def _redial(self, link: Link, after_s: float) -> None:
        # A frozen process notices the end of its socket when it goes on.
        await self._world.wait(lambda: not link.frozen, float("inf"))
        await asyncio.sleep(after_s)
        await self._dial(self._new_link())

    def _link(self, conn: int | None) -> Link:
        number = self.conn if conn is None else conn
        if number not in self._links:
            raise LookupError(f"executor {self.id!r} has no connection {number}: connect it first")
        return self._links[number]

    def _fault(self, kind: str, link: Link) -> None:
        self._world.recorder.add(events.Fault, kind=kind, conn=link.conn, executor=self.id)


def _payload(frame: Mapping[str, Any] | bytes | str) -> bytes:
    if isinstance(frame, str):
        return frame.encode("utf-8", "surrogatepass")
    return frame if isinstance(frame, bytes) else msgspec.json.encode(dict(frame))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
