"""A transparent tap between workers and relay: every frame of the real executors goes into the history.

It forwards bytes as they are, so pings, pongs and closes are the two sides' own. The one change is that the offer of
compression is left out of the upgrade, which keeps frames readable. It can add requests to one executor's stream
at frame boundaries and keeps their answers from the relay: that is how recovery is dispatched twice.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from chaos.errors import NotAWebSocket
from chaos.frames import (
    BINARY,
    CLOSE,
    CONTINUATION,
    NAMES,
    TEXT,
    Cut,
    Cutter,
    close_code,
    masked_text_frame,
    text_frame,
)
from evidence.events import Closed, Fault, Frame, Open, Refused, Upgraded
from evidence.history import Recorder

__all__ = ["Passing", "Tap"]

Side = Literal["relay", "executor"]
_HEAD_LIMIT = 1 << 16
_SHOWN = 1 << 16  # bytes of one frame's payload that a history keeps


@dataclass(frozen=True, slots=True)
class Passing:
    """A text frame with a JSON object that was just forwarded."""

    label: str
    executor: str
    conn: int
    by: Side
    message: Mapping[str, Any]


@dataclass(slots=True, eq=False)
class _Line:
    """One tapped connection."""

    label: str
    executor: str
    conn: int
    worker: asyncio.StreamWriter
    relay: asyncio.StreamWriter
    closing: bool = False  # a close frame was seen
    handshaken: bool = False  # it answered executor_info
    ended: bool = False
    fragments: dict[str, list[Cut]] = field(default_factory=dict)


class Tap:
    """Listens on loopback; an executor labelled L dials ``url(L)`` and reaches the relay."""

    def __init__(
        self, relay_url: str, recorder: Recorder, *, org: str, app: str, version: str, language: str,
        next_conn: Callable[[], int],
    ) -> None:  # fmt: skip
        """``relay_url`` is the relay's base URL, ws or wss. ``next_conn`` numbers the dials of the history."""
        self._relay = urlsplit(relay_url)
        self._recorder = recorder
        self._about = {"org": org, "app": app, "version": version, "language": language}
        self._next_conn = next_conn
        self._lines: dict[str, _Line] = {}
        self._ids: dict[str, asyncio.Future[str]] = {}
        self._killed: set[str] = set()
        self._known: set[str] = set()
        self._added: dict[str, Callable[[Mapping[str, Any]], None]] = {}
        self._server: asyncio.Server | None = None
        self._stopping = False
        self._tasks: set[asyncio.Task[None]] = set()
        self.listeners: list[Callable[[Passing], None]] = []
        self.stand_ins: list[Callable[[Passing], Mapping[str, Any] | None]] = []
        """Asked about each request of the relay; who gives an answer answers in the executor's stead."""

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=_HEAD_LIMIT)

    async def stop(self) -> None:
        self._stopping = True
        if self._server is not None:
            self._server.close()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def port(self) -> int:
        assert self._server is not None, "start the tap first"
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    def url(self, label: str, port: int | None = None) -> str:
        """The base URL that this worker's SDK gets. ``port``: of a proxy in front."""
        return f"ws://127.0.0.1:{port or self.port}/{label}"

    def identify(self, label: str, executor: str) -> None:
        """The id that the SDK made at launch. Dials of this label wait for it, so that each is recorded by its id."""
        known = self._ids.setdefault(label, asyncio.get_running_loop().create_future())
        if not known.done():
            known.set_result(executor)

    def killed(self, label: str) -> None:
        """From now on an end of this executor's socket is recorded as the kill's doing."""
        self._killed.add(label)

    def connected(self, label: str) -> bool:
        """Whether this executor's socket is open at both ends and it has answered executor_info there."""
        line = self._lines.get(label)
        return line is not None and line.handshaken and not line.ended

    def known(self, label: str) -> bool:
        """Whether it has ever answered executor_info: of another one the relay can't know that it was there."""
        return label in self._known

    def labels(self) -> list[str]:
        """Those whose sockets are open and have answered executor_info."""
        return [label for label in self._lines if self.connected(label)]

    def executor(self, label: str) -> str:
        """Its id; "" before it is known."""
        known = self._ids.get(label)
        return known.result() if known is not None and known.done() else ""

    def conn(self, label: str) -> int | None:
        """Number of the executor's open connection in the history."""
        line = self._lines.get(label)
        return line.conn if line is not None else None

    def add(self, label: str, message: Mapping[str, Any], answered: Callable[[Mapping[str, Any]], None]) -> None:
        """Send a request of our own to this executor; its answer goes to ``answered`` and not to the relay."""
        line = self._lines[label]
        self._added[message["request_id"]] = answered
        self._recorder.add(
            Fault, kind="added-request", conn=line.conn, executor=line.executor, detail={"message": dict(message)}
        )
        line.worker.write(text_frame(json.dumps(message).encode()))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._dial(reader, writer)
        except (OSError, EOFError, asyncio.LimitOverrunError, NotAWebSocket):
            pass  # one side went away, or spoke no WebSocket: the history has what came before
        except asyncio.CancelledError:
            if not self._stopping:  # else `stop` asked for it, and asyncio would log it as a crash of the server
                raise
        finally:
            self._tasks.discard(task)
            writer.transport.abort()

    async def _dial(self, reader: asyncio.StreamReader, worker: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        label, head = self._rewritten(request)
        known = self._ids.setdefault(label, asyncio.get_running_loop().create_future())
        executor = await asyncio.shield(known)
        conn = self._next_conn()
        self._recorder.add(Open, conn=conn, executor=executor, note=label, **self._about)
        secure = self._relay.scheme == "wss"
        try:
            back, relay = await asyncio.open_connection(
                self._relay.hostname, self._relay.port or (443 if secure else 80),
                ssl=ssl.create_default_context() if secure else None,
            )  # fmt: skip
        except OSError:
            self._recorder.add(Refused, conn=conn, status=0)
            raise
        line = _Line(label, executor, conn, worker, relay)
        try:
            relay.write(head)
            answer = await back.readuntil(b"\r\n\r\n")
            worker.write(answer)
            status = int(answer.split(b" ", 2)[1])
            if status != 101:
                rest = await back.read(_HEAD_LIMIT)
                worker.write(rest)
                self._recorder.add(Refused, conn=conn, status=status, body=rest.decode(errors="replace"))
                return
            self._recorder.add(Upgraded, conn=conn)
            self._lines[label] = line
            await self._both(line, reader, worker, back, relay)
        finally:
            if self._lines.get(label) is line:
                del self._lines[label]
            relay.transport.abort()

    def _rewritten(self, request: bytes) -> tuple[str, bytes]:
        """The label in front of the path, and the request as the relay shall get it."""
        first, *headers = request.removesuffix(b"\r\n\r\n").split(b"\r\n")
        method, path, protocol = first.split(b" ")
        _, label, rest = path.split(b"/", 2)
        kept = [h for h in headers if h.split(b":")[0].lower() not in (b"host", b"sec-websocket-extensions")]
        base = self._relay.path.rstrip("/").encode()
        lines = [b" ".join((method, base + b"/" + rest, protocol)), b"Host: " + self._relay.netloc.encode(), *kept]
        return label.decode(), b"\r\n".join(lines) + b"\r\n\r\n"

    async def _both(
        self, line: _Line, reader: asyncio.StreamReader, worker: asyncio.StreamWriter,
        back: asyncio.StreamReader, relay: asyncio.StreamWriter,
    ) -> None:  # fmt: skip
        ways = [
            asyncio.create_task(self._carry(line, "executor", reader, relay)),
            asyncio.create_task(self._carry(line, "relay", back, worker)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            if line.closing:  # let the closing handshake finish in the other direction
                await asyncio.wait(ways, timeout=5)
        finally:
            for way in ways:
                way.cancel()
            ends = await asyncio.gather(*ways, return_exceptions=True)
        for end in ends:
            if isinstance(end, Exception):
                raise end

    async def _carry(self, line: _Line, by: Side, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        cutter = Cutter()
        how: Literal["fin", "rst"] = "fin"
        try:
            while data := await source.read(_HEAD_LIMIT):
                for cut in cutter.feed(data):
                    self._pass(line, by, cut, target)
                await target.drain()
        except OSError:
            how = "rst"
        except Exception:  # no WebSocket, or a listener's own error: the connection is lost with it, and that is told
            self._ended(line, by, "rst")
            raise
        self._ended(line, by, how)
        with contextlib.suppress(OSError):
            if target.can_write_eof():
                target.write_eof()

    def _ended(self, line: _Line, by: Side, how: Literal["fin", "rst"]) -> None:
        """Record the first end of the line; what follows at its other side is the tap's doing."""
        if line.ended:
            return
        line.ended = True
        killed = by == "executor" and line.label in self._killed
        told = "kill" if killed else "close" if line.closing and how == "fin" else how
        self._recorder.add(Closed, conn=line.conn, by=by, how=told)

    def _pass(self, line: _Line, by: Side, cut: Cut, target: asyncio.StreamWriter) -> None:
        """Forward one frame, record it when its message is whole, and tell the listeners."""
        parts = line.fragments.setdefault(by, [])
        if cut.opcode in (TEXT, BINARY, CONTINUATION):
            parts.append(cut)
            if not cut.final:
                target.write(cut.raw)
                return
            opcode, payload = parts[0].opcode, b"".join(part.payload for part in parts)
            parts.clear()
        else:
            opcode, payload = cut.opcode, cut.payload
        message = _json_object(payload) if opcode == TEXT else None
        if by == "executor" and message is not None:
            answered = self._added.pop(str(message.get("request_id")), None)
            if answered is not None:
                answered(message)
                return
        if target.is_closing():
            return  # the other side has ended: nobody gets it
        if by == "relay" and message is not None and self._stood_in(line, payload, message):
            return
        target.write(cut.raw)
        line.closing = line.closing or opcode == CLOSE
        self._record(line, by, opcode, payload)
        if message is not None:
            if by == "executor" and message.get("type") == "executor_info":
                line.handshaken = True
                self._known.add(line.label)
            for listener in tuple(self.listeners):
                listener(Passing(line.label, line.executor, line.conn, by, message))

    def _stood_in(self, line: _Line, payload: bytes, message: Mapping[str, Any]) -> bool:
        """Whether somebody else answered: the executor then never hears of the request."""
        passing = Passing(line.label, line.executor, line.conn, "relay", message)
        for stand_in in tuple(self.stand_ins):
            answer = stand_in(passing)
            if answer is None:
                continue
            self._record(line, "relay", TEXT, payload)
            said = json.dumps(answer).encode()
            self._recorder.add(
                Fault, kind="stand-in", conn=line.conn, executor=line.executor, detail={"answer": dict(answer)}
            )
            line.relay.write(masked_text_frame(said))
            self._record(line, "executor", TEXT, said)
            return True
        return False

    def _record(self, line: _Line, by: Side, opcode: int, payload: bytes) -> None:
        data, b64 = payload[:_SHOWN], False
        try:
            text = data.decode()
        except UnicodeDecodeError:
            text, b64 = base64.b64encode(data).decode(), True
        self._recorder.add(
            Frame, conn=line.conn, by=by, op=NAMES[opcode], data=text, b64=b64,
            size=len(payload) if len(payload) > _SHOWN else None,
            code=close_code(payload) if opcode == CLOSE else None,
        )  # fmt: skip


def _json_object(payload: bytes) -> Mapping[str, Any] | None:
    try:
        decoded = json.loads(payload)
    except ValueError:
        return None
    return decoded if isinstance(decoded, dict) else None
