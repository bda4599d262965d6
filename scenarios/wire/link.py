"""One dial of a scripted executor: a WebSocket client that does nothing by itself.

The sans-I/O parser of *websockets* reads, but answers no ping, echoes no close frame and enforces nothing: what goes
out is decided above, so that pongs can be refused and frames can be illegal. Every frame is recorded, both ways.
"""

from __future__ import annotations

import asyncio
import base64
import socket
import struct
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from websockets.client import ClientProtocol
from websockets.frames import Close, Frame, Opcode
from websockets.http11 import Response
from websockets.uri import WebSocketURI

from evidence import events
from evidence.history import Recorder

WHOLE_BYTES = 256 * 1024
"""Data of a frame up to this size is recorded whole."""
KEPT_BYTES = 1024
"""What is recorded of a larger one."""

_NO_LINGER = struct.pack("ii", 1, 0)  # SO_LINGER on, 0 s: closing sends RST
_OPS: dict[Opcode, Literal["text", "binary", "ping", "pong", "close"]] = {
    Opcode.TEXT: "text", Opcode.BINARY: "binary", Opcode.PING: "ping", Opcode.PONG: "pong", Opcode.CLOSE: "close",
}  # fmt: skip


class _PassiveProtocol(ClientProtocol):
    """Parses and reports. The base class would pong and echo closes by itself."""

    def recv_frame(self, frame: Frame) -> None:
        self.events.append(frame)


class Link(asyncio.Protocol):
    """``incoming(link, frame)`` gets each whole message or control frame, ``ended(link)`` is called once at the end."""

    def __init__(
        self,
        conn: int,
        uri: WebSocketURI,
        recorder: Recorder,
        incoming: Callable[[Link, Frame], None],
        ended: Callable[[Link], None],
    ) -> None:
        self.conn = conn
        self.upgraded: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.closed = False
        self.close_received: int | None = None  # code of the relay's close frame
        self._protocol = _PassiveProtocol(uri, max_size=None)
        self._recorder = recorder
        self._incoming = incoming
        self._ended = ended
        self._transport: asyncio.Transport | None = None
        self._message: list[bytes] = []
        self._message_op = Opcode.TEXT
        self._frozen_frames: list[Frame] | None = None  # arrived while frozen; None: not frozen
        self._unsent: list[Callable[[], None]] = []
        self._end_recorded = False
        self._half_closed = False

    # ---------------------------------------------------------------- asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._protocol.send_request(self._protocol.connect())
        for data in self._protocol.data_to_send():
            transport.write(data)

    def data_received(self, data: bytes) -> None:
        self._protocol.receive_data(data)
        self._take_events()
        if self._protocol.parser_exc is not None and not self.closed:
            self._recorder.add(
                events.Note, text="illegal frame", detail={"conn": self.conn, "why": str(self._protocol.parser_exc)}
            )
            self.abort(how="rst")

    def eof_received(self) -> bool:
        # Before the upgrade the end of the stream may end the body of a refusal.
        if not self.upgraded.done():
            self._protocol.receive_eof()
            self._take_events()
        return False  # close our side too

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.upgraded.done():
            self.refuse(0, "" if exc is None else str(exc))
        elif self.upgraded.result():
            graceful = self.close_received is not None
            self._record_end("relay", "close" if graceful else "fin" if exc is None else "rst", self.close_received)
        self._finish()

    # ---------------------------------------------------------------- what the executor does

    def send(self, opcode: Opcode, payload: bytes, *, fragments: int = 1, between: bytes | None = None) -> None:
        """One message or control frame. ``between``: an unsolicited pong with this payload between the fragments."""
        if self.closed or self._half_closed or not self.upgraded.done():
            return
        if self.frozen:
            self._unsent.append(partial(self.send, opcode, payload, fragments=fragments, between=between))
            return
        # Recorded before it leaves: an effect can't be seen before its cause.
        self._record_frame("executor", opcode, payload)
        size = -(-len(payload) // fragments) or 1
        pieces = [payload[at : at + size] for at in range(0, len(payload), size)] or [b""]
        for number, piece in enumerate(pieces):
            final = number == len(pieces) - 1
            self._write(Frame(opcode if number == 0 else Opcode.CONT, piece, fin=final).serialize(mask=True))
            if not final and between is not None:
                self._write(Frame(Opcode.PONG, between).serialize(mask=True))
                self._record_frame("executor", Opcode.PONG, between)

    def send_raw(self, data: bytes) -> None:
        """Bytes as they are, recorded as a note."""
        if self.frozen:
            self._unsent.append(partial(self.send_raw, data))
            return
        self._write(data)
        self._recorder.add(events.Note, text="raw bytes", detail={"conn": self.conn, "size": len(data)})

    def send_close(self, code: int) -> None:
        """Begin the closing handshake. From the executor's sight the connection has ended with it."""
        self.send(Opcode.CLOSE, Close(code, "").serialize() if code != 1005 else b"")
        self._record_end("executor", "close", code)

    def echo_close(self, frame: Frame) -> None:
        self.send(Opcode.CLOSE, bytes(frame.data))

    def end_sending(self) -> None:
        """Half-close: FIN after what was written, reading goes on."""
        if self._transport is not None and self._transport.can_write_eof():
            self._half_closed = True
            self._transport.write_eof()

    def abort(self, how: Literal["rst", "fin", "kill"] = "rst") -> None:
        """End the socket without a close frame. Buffered data is lost with RST."""
        if self._transport is None or self.closed:
            return
        if self.upgraded.done() and self.upgraded.result():
            self._record_end("executor", how)
        if how == "rst":
            self._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
            self._transport.abort()
        else:
            self._transport.close()

    def freeze(self) -> None:
        """Answer nothing and let nothing out. Frames that arrive are recorded, for the observer is not frozen."""
        if self._frozen_frames is None:
            self._frozen_frames = []

    def thaw(self) -> None:
        """Everything that waited happens at once, in order."""
        if self._frozen_frames is None:
            return
        waiting, self._frozen_frames = self._frozen_frames, None
        unsent, self._unsent = self._unsent, []
        for send in unsent:
            send()
        for frame in waiting:
            self._incoming(self, frame)

    @property
    def frozen(self) -> bool:
        return self._frozen_frames is not None

    def read(self, reading: bool) -> None:
        """Stop or go on reading the socket: stopped, the relay's sending buffer fills up."""
        if self._transport is None or self.closed:
            return
        if reading:
            self._transport.resume_reading()
        else:
            self._transport.pause_reading()

    def refuse(self, status: int, body: str, *, utf8: bool = True) -> None:
        """The upgrade did not happen. ``utf8``: whether the body, as it came, was UTF-8 text."""
        if not self.upgraded.done():
            self._recorder.add(events.Refused, conn=self.conn, status=status, body=body[:WHOLE_BYTES], utf8=utf8)
            self.upgraded.set_result(False)
        if self._transport is not None:
            self._transport.abort()
        else:
            self._finish()

    # ---------------------------------------------------------------- inside

    def _take_events(self) -> None:
        for event in self._protocol.events_received():
            if isinstance(event, Response):
                self._answered(event)
            elif isinstance(event, Frame):
                self._received(event)
        refusal = self._protocol.handshake_exc
        if refusal is not None and not self.upgraded.done():
            self.refuse(0, str(refusal))

    def _answered(self, response: Response) -> None:
        if response.status_code == 101 and self._protocol.handshake_exc is None:
            self._recorder.add(events.Upgraded, conn=self.conn)
            self.upgraded.set_result(True)
        else:
            body = bytes(response.body or b"")
            text = body.decode("utf-8", "replace")
            self.refuse(response.status_code, text, utf8=text.encode() == body)

    def _received(self, frame: Frame) -> None:
        if frame.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
            if frame.opcode is not Opcode.CONT:
                self._message, self._message_op = [], frame.opcode
            self._message.append(bytes(frame.data))
            if not frame.fin:
                return
            frame = Frame(self._message_op, b"".join(self._message))
        self._record_frame("relay", frame.opcode, bytes(frame.data))
        if frame.opcode is Opcode.CLOSE and self.close_received is None:
            self.close_received = _close_code(bytes(frame.data))
        if self._frozen_frames is not None:
            self._frozen_frames.append(frame)
        else:
            self._incoming(self, frame)

    def _write(self, data: bytes) -> None:
        if self._transport is not None and not self._half_closed and not self._transport.is_closing():
            self._transport.write(data)

    def _record_frame(self, by: Literal["relay", "executor"], opcode: Opcode, payload: bytes) -> None:
        kept = payload if len(payload) <= WHOLE_BYTES else payload[:KEPT_BYTES]
        fields: dict[str, Any] = {}
        try:
            fields["data"] = kept.decode()
        except UnicodeDecodeError:
            fields |= {"data": base64.b64encode(kept).decode(), "b64": True}
        if len(kept) < len(payload):
            fields["size"] = len(payload)
        if opcode is Opcode.CLOSE:
            fields["code"] = _close_code(payload)
            fields |= {"data": kept[2:].decode("utf-8", "replace"), "b64": False}
        self._recorder.add(events.Frame, conn=self.conn, by=by, op=_OPS[opcode], **fields)

    def _record_end(
        self, by: Literal["relay", "executor"], how: Literal["close", "fin", "rst", "kill"], code: int | None = None
    ) -> None:
        if not self._end_recorded:
            self._end_recorded = True
            self._recorder.add(events.Closed, conn=self.conn, by=by, how=how, code=code)

    def _finish(self) -> None:
        if not self.closed:
            self.closed = True
            self._ended(self)


def _close_code(payload: bytes) -> int:
    """1005 stands for a close frame without a code (RFC 6455)."""
    return int.from_bytes(payload[:2], "big") if len(payload) >= 2 else 1005
