"""One executor's WebSocket: RFC 6455 from the sans-I/O protocol of *websockets*, limits and deadlines from here.

The socket's life is this: `accept` judges the upgrade and tells the hub, frames become events, `end` is final. Nothing
here ever waits for the peer: a closing handshake gets `close_deadline_s`, a full send buffer `write_deadline_s`.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, cast

from websockets.frames import BINARY, CLOSE, CONT, PING, PONG, TEXT, CloseCode, Frame
from websockets.http11 import Request
from websockets.protocol import OPEN
from websockets.server import ServerProtocol

from reference_relay.core.events import Binary, Closed, Ping, Pong, Progress, Text
from reference_relay.server.frames import is_utf8, sole_text, text_frame, wire_bytes
from reference_relay.server.gate import Admitted, Refused
from reference_relay.server.refusal import refusal, refusal_of
from reference_relay.server.upgrade import switching

if TYPE_CHECKING:
    from reference_relay.server.context import Context

SLICE_BYTES = 2 * 1024  # how much of one read is parsed before others get their turn
TURN_S = 0.002  # how long that may take
REST = 4  # a connection that used up its turn rests this many times as long
REST_PINGS = 0.1  # but at most this part of the ping interval: whoever isn't read can't show life
REASON_BYTES = 123  # of a close frame (RFC 6455 5.5)
LIFE_S = 0.5  # how often the bytes of an unfinished frame are reported as life


class Connection(asyncio.Protocol):
    """Made by uvicorn's HTTP protocol for each upgrade; see `reference_relay.server.http`."""

    def __init__(self, context: Context) -> None:
        self.key = ("", "")
        self.address = ""
        self._hub = context.hub
        self._gate = context.gate
        self._limits = context.limits
        self._refused_log = context.refused
        self._longest_rest_s = REST_PINGS * context.config.timing.ping_interval_s
        self._loop = asyncio.get_running_loop()
        self._conn = 0  # 0: not accepted
        self._closed = False  # Closed was reported
        self._ending = False
        self._message: bytearray | None = None  # the fragments so far
        self._opcode = TEXT
        self._backlog = bytearray()  # read, not parsed yet
        self._half_read = 0  # bytes that the protocol has and has not made a frame of, at most
        self._resting = False
        self._full = False  # the transport's buffer is above its high-water mark
        self._pong: bytes | None = None  # the newest pong that found it so
        self._written = 0
        self._taken = 0  # how much of it had left at the last progress
        self._progress_at_s = 0.0
        self._life_at_s = 0.0

    # ---- the upgrade

    def accept(self, transport: asyncio.Transport, request: Request, served: set[Any]) -> None:
        """Answer an upgrade request: 101 and a registered connection, or an error and the end.

        ``served`` is uvicorn's set of what it shuts down when it stops.
        """
        self._transport = transport
        self._served = served
        served.add(self)
        peername = transport.get_extra_info("peername")
        self.address = str(peername[0]) if isinstance(peername, tuple) else ""
        transport.set_protocol(self)
        verdict = self._judge(request)
        if isinstance(verdict, Refused):
            self._refuse(verdict)
            return
        self._protocol = ServerProtocol(state=OPEN, max_size=self._limits.handshake_frame_bytes)
        switch = switching(request)
        if switch is None:
            response = self._protocol.accept(request)
            if response.status_code != 101:
                self._refuse(refusal_of(response))
                return
            switch = response.serialize()
        transport.write(switch)
        self.key = (verdict.application.org, verdict.key_name)
        self._conn = self._hub.open(self, verdict.application)

    def _judge(self, request: Request) -> Admitted | Refused:
        segments = request.path.split("?", 1)[0].split("/")
        if segments[-3:-2] != ["websocket"]:
            return Refused(404, "nothing is upgraded here: use <base>/websocket/<application>/<key>")
        return self._gate.admit(segments[-2], segments[-1])

    def _refuse(self, refused: Refused) -> None:
        self._ending = True
        self._refused_log.warning("an upgrade was refused", address=self.address, reason=refused.reason)
        self._transport.write(refusal(refused))
        self._shut()

    # ---- reading

    def data_received(self, data: bytes) -> None:
        if self._ending:
            return
        waiting = self._backlog or self._resting
        if not waiting and not self._half_read and self._message is None:
            text = sole_text(data, self._protocol.max_message_size or 0)
            if text is not None:
                self._on_message(True, text)
                return
        if waiting or len(data) > SLICE_BYTES:
            self._backlog += data
            if not self._resting:
                self._work()
        else:
            self._parse(data)

    def _work(self) -> None:
        """Parse what was read, slice by slice, and rest after a turn: a flood costs the others little (LIV-14)."""
        if self._resting and self._backlog:
            self._alive()  # it came in before the rest
        self._resting = False
        began_s = time.perf_counter()
        while self._backlog and not self._ending:
            piece = bytes(self._backlog[:SLICE_BYTES])
            del self._backlog[:SLICE_BYTES]
            self._parse(piece)
            used_s = time.perf_counter() - began_s
            if used_s > TURN_S and not self._ending:
                self._resting = True
                self._transport.pause_reading()
                self._loop.call_later(min(used_s * REST, self._longest_rest_s), self._work)
                return
        if not self._ending:
            self._transport.resume_reading()

    def _parse(self, data: bytes) -> None:
        protocol = self._protocol
        protocol.receive_data(data)
        frames = cast(list[Frame], protocol.events_received())
        self._half_read += len(data)
        for frame in frames:
            self._half_read -= wire_bytes(frame)
            self._on_frame(frame)
            if self._ending:
                return
        if protocol.parser_exc is not None:
            assert protocol.close_sent is not None, "the protocol fails with a close frame"
            self._report(f"protocol error {protocol.close_sent.code}")
            self._end_now()
            return
        if not frames:
            self._alive()
        if protocol.writes:
            self._flush(data=False)

    def _on_frame(self, frame: Frame) -> None:
        opcode = frame.opcode
        if opcode is TEXT or opcode is BINARY:
            if frame.fin:
                self._on_message(opcode is TEXT, bytes(frame.data))
            else:
                self._opcode = opcode
                self._message = bytearray(frame.data)
                self._alive()
        elif opcode is PONG:
            self._hub.feed(Pong(self._conn, bytes(frame.data)))
        elif opcode is PING:
            self._hub.feed(Ping(self._conn))
        elif opcode is CONT:
            assert self._message is not None, "the protocol refuses a continuation of nothing"
            self._message += frame.data
            if frame.fin:
                message, self._message = self._message, None
                self._on_message(self._opcode is TEXT, bytes(message))
            else:
                self._alive()
        elif opcode is CLOSE:
            received = self._protocol.close_rcvd
            self._report(f"close frame {received.code if received else CloseCode.NO_STATUS_RCVD}")
            self._end_now()

    def _on_message(self, text: bool, data: bytes) -> None:
        if not text:
            self._hub.feed(Binary(self._conn, len(data)))
        elif is_utf8(data):
            self._hub.feed(Text(self._conn, data))
        else:
            self._protocol.fail(CloseCode.INVALID_DATA, "a text message is not UTF-8")
            self._report(f"protocol error {CloseCode.INVALID_DATA:d}")
            self._end_now()

    def _alive(self) -> None:
        """Bytes of an unfinished message are life: nothing else can come in between them in one frame."""
        now_s = self._loop.time()
        if now_s - self._life_at_s >= LIFE_S:
            self._life_at_s = now_s
            self._hub.feed(Progress(self._conn))

    # ---- writing

    def send(self, data: bytes) -> None:
        if not self._ending:
            self._protocol.writes.append(text_frame(data))
            self._flush(data=True)

    def ping(self, payload: bytes) -> None:
        if not self._ending:
            self._protocol.send_ping(payload)
            self._flush(data=False)

    def _flush(self, *, data: bool) -> None:
        """Hand over what the protocol wants to send. ``data``: it is a data frame, which a full buffer refuses."""
        transport = self._transport
        waiting = transport.get_write_buffer_size()
        if waiting:
            self._hub.watch(self)
            self._note_progress(waiting)
        for piece in self._protocol.data_to_send():
            if not piece:
                continue  # the end of the stream is `_shut`'s
            if self._full and piece[0] & 0x0F == PONG:
                self._pong = piece  # RFC 6455 5.5.3: of several pings it is enough to answer the newest
                continue
            if data and waiting and waiting + len(piece) > self._limits.send_buffer_bytes:
                self._abort("send buffer full")
                return
            self._written += len(piece)
            transport.write(piece)

    def _note_progress(self, waiting: int) -> float:
        """Look at how much the peer has taken; seconds since it last took something."""
        now_s = self._loop.time()
        taken = self._written - waiting
        if taken > self._taken or not self._progress_at_s:
            self._taken, self._progress_at_s = taken, now_s
        return now_s - self._progress_at_s

    def check_progress(self) -> bool:
        """Abort after `write_deadline_s` without a byte taken; False once nothing waits."""
        waiting = self._transport.get_write_buffer_size()
        if self._closed or not waiting:
            self._progress_at_s = 0.0
            return False
        if self._note_progress(waiting) > self._limits.write_deadline_s:
            self._abort("write deadline")
            return False
        return True

    def pause_writing(self) -> None:
        self._full = True
        self._hub.watch(self)

    def resume_writing(self) -> None:
        self._full = False
        if self._pong is not None and not self._ending:
            pong, self._pong = self._pong, None
            self._written += len(pong)
            self._transport.write(pong)

    # ---- the end

    def trust(self) -> None:
        self._protocol.max_message_size = self._limits.frame_bytes

    def end(self, code: int, reason: str) -> None:
        """Send a close frame and drop the socket, whatever the peer does."""
        if not self._ending:
            self._protocol.fail(code, reason.encode()[:REASON_BYTES].decode(errors="ignore"))
            self._end_now()

    def shutdown(self) -> None:
        """uvicorn stops."""
        if self._conn:
            self.end(CloseCode.GOING_AWAY, "the relay stops")
        else:
            self._transport.close()

    def eof_received(self) -> bool:
        self._report("end of stream")
        self._ending = True
        return False  # the transport closes itself

    def connection_lost(self, exc: Exception | None) -> None:
        self._report(f"reset: {exc}" if exc else "end of stream")
        self._ending = True
        self._backlog.clear()
        self._served.discard(self)
        if self._conn:
            self._hub.forget(self._conn)

    def _end_now(self) -> None:
        """Write what is left, half-close, and give the peer `close_deadline_s` to see it."""
        self._flush(data=False)
        self._ending = True
        self._backlog.clear()
        self._message = None
        self._shut()

    def _shut(self) -> None:
        if not self._transport.is_closing():
            # Go on reading: a peer in the middle of a frame would get a reset before it saw the close frame.
            self._transport.resume_reading()
            if self._transport.can_write_eof():
                self._transport.write_eof()
            self._loop.call_later(self._limits.close_deadline_s, self._transport.abort)

    def _abort(self, reason: str) -> None:
        self._report(reason)
        self._ending = True
        self._transport.abort()

    def _report(self, reason: str) -> None:
        """Tell the hub once."""
        if self._conn and not self._closed:
            self._closed = True
            self._hub.feed(Closed(self._conn, reason))
