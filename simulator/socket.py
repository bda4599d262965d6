"""The relay's end of one WebSocket connection: what the server's transport does without asking the core."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from reference_relay.core import events
from simulator.link import Link


class Peer(Protocol):
    """The executor's end, as frames reach it."""

    def upgraded(self, socket: Socket) -> None: ...

    def refused(self, status: int) -> None:
        """``status`` 0: there was no answer."""
        ...

    def text(self, data: bytes) -> None: ...

    def ping(self, payload: bytes) -> None: ...

    def pong(self, payload: bytes) -> None: ...

    def close(self, code: int, reason: str) -> None:
        """The relay's close frame, its own or its answer to the executor's; the connection ends with it."""
        ...

    def lost(self) -> None:
        """The relay's process has died."""
        ...


class Socket:
    """An accepted connection. Pings are answered and close frames echoed here; everything else is for the core."""

    def __init__(self, conn: int, link: Link, peer: Peer, handle: Callable[[events.Event], None]) -> None:
        self.conn = conn
        self._link = link
        self._peer = peer
        self._handle = handle
        self._open = True

    # ---- towards the executor

    def send_text(self, data: bytes) -> None:
        self._link.down(self._peer.text, data)

    def send_ping(self, payload: bytes) -> None:
        self._link.down(self._peer.ping, payload)

    def close(self, code: int, reason: str = "") -> None:
        """Send a close frame and be done: what still comes in is not read."""
        self._open = False
        self._link.down(self._peer.close, code, reason)

    def die(self) -> None:
        """The process is gone; the kernel resets the connection."""
        self._open = False
        self._link.down(self._peer.lost)

    # ---- from the executor

    def receive_text(self, data: bytes) -> None:
        if self._open:
            self._handle(events.Text(self.conn, data))

    def receive_binary(self, data: bytes) -> None:
        if self._open:
            self._handle(events.Binary(self.conn, len(data)))

    def receive_ping(self, payload: bytes) -> None:
        if self._open:
            self._link.down(self._peer.pong, payload)
            self._handle(events.Ping(self.conn))

    def receive_pong(self, payload: bytes) -> None:
        if self._open:
            self._handle(events.Pong(self.conn, payload))

    def receive_close(self, code: int) -> None:
        if self._open:
            self.close(code)
            self._handle(events.Closed(self.conn, f"close frame {code}"))

    def receive_end(self, reason: str) -> None:
        """The socket is gone: "reset" or "end of stream"."""
        if self._open:
            self._open = False
            self._handle(events.Closed(self.conn, reason))
