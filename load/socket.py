"""A blocking WebSocket client that is one executor.

Sans-I/O frames of the websockets library on a plain socket: under Locust the socket module is
gevent's, so thousands of them share a thread.
"""

from __future__ import annotations

import socket
import ssl
import struct
import time
from collections.abc import Iterator

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidStatus
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.uri import parse_uri

from load.place import LoadError

READ_SIZE = 4096
RESET = struct.pack("ii", 1, 0)  # SO_LINGER on, 0 s: close sends RST


class Refused(LoadError):
    """The upgrade was answered with a status other than 101, or not at all."""


class ExecutorSocket:
    """One connection. Pings of the relay are answered while `texts` is read."""

    def __init__(self, url: str, timeout_s: float = 10.0) -> None:
        uri = parse_uri(url)
        self._protocol = ClientProtocol(uri, max_size=None)
        raw = socket.create_connection((uri.host, uri.port), timeout=timeout_s)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = ssl.create_default_context().wrap_socket(raw, server_hostname=uri.host) if uri.secure else raw
        try:
            self._upgrade()
        except BaseException:
            self._socket.close()
            raise

    def texts(self) -> Iterator[str]:
        """Text messages as they come; ends when the connection does."""
        while True:
            for event in self._protocol.events_received():
                # The first event is the response to the upgrade; the relay's first frame may have come with it.
                if isinstance(event, Frame) and event.opcode is Opcode.TEXT:
                    yield bytes(event.data).decode()
            self._flush()
            if not self._receive():
                return

    def send(self, text: bytes) -> None:
        self._protocol.send_text(text)
        self._flush()

    def drop(self) -> None:
        """End it without a close frame (RST)."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self._socket.close()

    def _upgrade(self) -> None:
        self._protocol.send_request(self._protocol.connect())
        self._flush()
        while self._protocol.state is State.CONNECTING:
            if not self._receive():
                break
        if self._protocol.handshake_exc is not None or self._protocol.state is not State.OPEN:
            problem = self._protocol.handshake_exc
            status = problem.response.status_code if isinstance(problem, InvalidStatus) else problem
            raise Refused(f"the upgrade was refused: {status}")
        self._socket.settimeout(None)

    def _receive(self) -> bool:
        try:
            data = self._socket.recv(READ_SIZE)
        except OSError:
            return False
        if not data:
            return False
        self._protocol.receive_data(data)
        return True

    def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._socket.sendall(data)


def monotonic_ms() -> float:
    return time.perf_counter() * 1000.0
