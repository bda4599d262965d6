"""One WebSocket connection to an executor, from the relay's side, byte by byte (RFC 6455).

A library would keep the rules that probes must break: frames are written as they are asked for, pings are answered,
a little later, unless told otherwise, and everything either side sends is recorded with its time.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import socket
import struct
import sys
import termios
from collections.abc import Callable
from typing import Any, Literal, TypeVar

from sdk_matrix.matrix.model import Frame

__all__ = ["BINARY", "CLOSE", "PING", "PONG", "TEXT", "Link", "clip"]

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
_KINDS = {0x0: "continuation", 0x1: "text", 0x2: "binary", 0x8: "close", 0x9: "ping", 0xA: "pong"}
PONG_AFTER_S = 1.0  # Java sets its timer after it has sent a ping: on a busy host a pong overtakes that, and is lost
_SHOWN = 700  # characters of a frame that are kept as evidence
T = TypeVar("T")
_ABORT = struct.pack("ii", 1, 0)  # SO_LINGER: the close of the socket is a reset


def clip(payload: bytes) -> str:
    """The start of a payload as text."""
    text = payload[: 4 * _SHOWN].decode(errors="backslashreplace")
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


class Link:
    """Raises `ConnectionError` from its sends once the connection is gone, `TimeoutError` from its waits."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        record: list[Frame],
        now_s: Callable[[], float],
    ) -> None:
        self.answers_pings = True
        self.pong_after_s = PONG_AFTER_S
        self.opened_s = now_s()
        self.ended_s: float | None = None
        self.pinged_s: float | None = None  # when the executor's first ping came
        self.close_code: int | None = None  # of the executor's close frame; 1005: it had none
        self.close_reason = ""
        self.messages: list[dict[str, Any]] = []  # whole text messages that are JSON objects
        self.pongs: list[bytes] = []  # payloads
        self._reader, self._writer = reader, writer
        self._record, self._now_s = record, now_s
        self._changed = asyncio.Event()
        self._parts: list[bytes] = []
        self._closing = False
        self._pongs_due: set[asyncio.Task[None]] = set()

    @property
    def open(self) -> bool:
        return self.ended_s is None

    async def send(self, message: dict[str, Any] | str) -> None:
        """A text frame; an object as JSON."""
        text = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)
        await self.frame(TEXT, text.encode())

    async def frame(self, opcode: int, payload: bytes = b"", *, final: bool = True) -> None:
        if not self.open or self._writer.is_closing():
            raise ConnectionResetError("the connection is gone")
        size = len(payload)
        head = bytes([opcode | (0x80 if final else 0)])
        if size < 126:
            head += bytes([size])
        elif size < 1 << 16:
            head += b"\x7e" + struct.pack(">H", size)
        else:
            head += b"\x7f" + struct.pack(">Q", size)
        self._note("relay", _KINDS[opcode], clip(payload[2:] if opcode == CLOSE else payload), size, payload, opcode)
        self._writer.write(head + payload)
        await self._writer.drain()

    async def close(self, code: int, reason: str = "") -> None:
        """Send a close frame; the executor answers or not."""
        self._closing = True
        await self.frame(CLOSE, struct.pack(">H", code) + reason.encode())

    def hang_up(self) -> None:
        """End TCP in good order, without a close frame."""
        self._writer.close()

    def reset(self) -> None:
        """End TCP by a reset."""
        transport_socket = self._writer.get_extra_info("socket")
        if transport_socket is not None:
            transport_socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _ABORT)
        self._writer.transport.abort()

    def stall(self) -> None:
        """Read nothing more: as a relay that was stopped."""
        self._transport.pause_reading()

    def unread_bytes(self) -> int:
        """What has come and isn't read; while it is stalled, of what the executor sends from then on."""
        waiting = fcntl.ioctl(self._writer.get_extra_info("socket").fileno(), termios.FIONREAD, bytes(4))
        return int.from_bytes(waiting, sys.byteorder)

    def read_on(self) -> None:
        self._transport.resume_reading()

    @property
    def _transport(self) -> asyncio.ReadTransport:
        transport = self._writer.transport
        assert isinstance(transport, asyncio.ReadTransport)
        return transport

    async def request(self, message: dict[str, Any], within_s: float) -> dict[str, Any]:
        """Send a request and wait for the message with its id."""
        await self.send(message)
        return await self.answer(str(message["request_id"]), within_s)

    async def answer(self, request_id: str, within_s: float) -> dict[str, Any]:
        def found() -> dict[str, Any] | None:
            return next((each for each in self.messages if each.get("request_id") == request_id), None)

        answer = await self.until(found, within_s)
        if answer is None:
            raise ConnectionResetError("the connection ended before the answer")
        return answer

    async def until(self, what: Callable[[], T], within_s: float) -> T:
        """What ``what`` gives once it is truthy, or when the connection has ended."""
        async with asyncio.timeout(within_s):
            while not (found := what()) and self.open:
                self._changed.clear()
                await self._changed.wait()
        return found

    async def ended(self, within_s: float) -> bool:
        """Whether the connection ends within this time."""
        with contextlib.suppress(TimeoutError):
            await self.until(lambda: False, within_s)
        return not self.open

    async def serve(self) -> None:
        """Read until the end."""
        try:
            while True:
                await self._read_frame()
        except (asyncio.IncompleteReadError, ConnectionError, OSError):
            pass
        finally:
            self.ended_s = self._now_s()
            self._note("executor", "end", "TCP ends")
            self._changed.set()
            self._writer.close()

    async def _read_frame(self) -> None:
        first, second = await self._reader.readexactly(2)
        opcode, size = first & 0x0F, second & 0x7F
        if size == 126:
            (size,) = struct.unpack(">H", await self._reader.readexactly(2))
        elif size == 127:
            (size,) = struct.unpack(">Q", await self._reader.readexactly(8))
        mask = await self._reader.readexactly(4) if second & 0x80 else bytes(4)
        payload = _unmask(await self._reader.readexactly(size), mask)
        self._note("executor", _KINDS.get(opcode, hex(opcode)), clip(payload), size, payload, opcode)
        if opcode == PING:
            self.pinged_s = self._now_s() if self.pinged_s is None else self.pinged_s
            if self.answers_pings:
                due = asyncio.create_task(self._pong(payload))
                self._pongs_due.add(due)
                due.add_done_callback(self._pongs_due.discard)
        elif opcode == PONG:
            self.pongs.append(payload)
        elif opcode == CLOSE:
            self.close_code = struct.unpack(">H", payload[:2])[0] if len(payload) >= 2 else 1005
            self.close_reason = payload[2:].decode(errors="replace")
            if not self._closing:
                with contextlib.suppress(ConnectionError):
                    await self.frame(CLOSE, payload[:2])
            self._writer.close()
        elif opcode in (CONTINUATION, TEXT, BINARY):
            self._parts.append(payload)
            if first & 0x80:
                whole, self._parts = b"".join(self._parts), []
                with contextlib.suppress(ValueError):
                    message = json.loads(whole)
                    if isinstance(message, dict):
                        self.messages.append(message)
        self._changed.set()

    async def _pong(self, payload: bytes) -> None:
        await asyncio.sleep(self.pong_after_s)
        with contextlib.suppress(ConnectionError):
            await self.frame(PONG, payload)

    def _note(
        self,
        by: Literal["relay", "executor"],
        kind: str,
        text: str,
        size: int = 0,
        payload: bytes = b"",
        opcode: int = -1,
    ) -> None:
        if opcode == CLOSE and len(payload) >= 2:
            text = f"{struct.unpack('>H', payload[:2])[0]} {clip(payload[2:])}".strip()
        self._record.append(Frame(round(self._now_s(), 3), by, kind, text, size))


def _unmask(payload: bytes, mask: bytes) -> bytes:
    if not any(mask):
        return payload
    size = len(payload)
    pattern = (mask * (size // 4 + 1))[:size]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(pattern, "big")).to_bytes(size, "big")
