"""A slow, flooding or hostile connection ends, or costs the others nothing (ENV-6, ENV-10, ENV-11, LIV-14)."""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.reference_relay.server.test_upgrade import UPGRADE, head
from tests.reference_relay.support import ADMIN, CONFIG, Executor, RelayProcess, healthy, relay_in, statuses, until

TEXT, BINARY, CONT, CLOSE, PING, PONG = 1, 2, 0, 8, 9, 10


def frame(opcode: int, payload: bytes = b"", *, fin: bool = True, length: int | None = None) -> bytes:
    """A masked frame (with a mask of zeros). ``length`` lies about the payload."""
    size = len(payload) if length is None else length
    first = bytes([opcode | (0x80 if fin else 0)])
    if size < 126:
        return first + bytes([0x80 | size]) + bytes(4) + payload
    if size < 65536:
        return first + b"\xfe" + struct.pack("!H", size) + bytes(4) + payload
    return first + b"\xff" + struct.pack("!Q", size) + bytes(4) + payload


class RawExecutor:
    """A socket after its upgrade, read and written by hand."""

    def __init__(self, relay: RelayProcess, app: str, receive_buffer: int | None = None) -> None:
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(10)
        self.socket.connect(("127.0.0.1", relay.port))
        self.socket.sendall(head("GET", f"/websocket/{app}/{ADMIN}", UPGRADE))
        self._buffer = b""
        while b"\r\n\r\n" not in self._buffer:
            self._buffer += self.socket.recv(65536)
        self._buffer = self._buffer.split(b"\r\n\r\n", 1)[1]

    def _exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            chunk = self.socket.recv(65536)
            if not chunk:
                raise EOFError
            self._buffer += chunk
        taken, self._buffer = self._buffer[:size], self._buffer[size:]
        return taken

    def read(self) -> tuple[int, bytes]:
        first, size = self._exactly(2)
        if size == 126:
            (size,) = struct.unpack("!H", self._exactly(2))
        elif size == 127:
            (size,) = struct.unpack("!Q", self._exactly(8))
        return first & 0x0F, self._exactly(size)

    def read_until(self, opcode: int) -> bytes:
        """The payload of the next such frame; pings are answered meanwhile."""
        while True:
            found, payload = self.read()
            if found == opcode:
                return payload
            if found == PING:
                self.socket.sendall(frame(PONG, payload))

    def handshake(self, executor_id: str, **fields: Any) -> None:
        request = json.loads(self.read_until(TEXT))
        self.answer(request, executor_id=executor_id, application_version="v1", language="python", **fields)

    def answer(self, request: dict[str, Any], **fields: Any) -> None:
        body = {"type": request["type"], "request_id": request["request_id"], **fields}
        self.socket.sendall(frame(TEXT, json.dumps(body).encode()))

    def ended(self) -> str:
        """How the relay ended it: the close code, "reset" or "fin"."""
        try:
            return str(struct.unpack("!H", self.read_until(CLOSE)[:2])[0])
        except EOFError:
            return "fin"
        except (ConnectionResetError, BrokenPipeError):
            return "reset"


@contextmanager
def witness(relay: RelayProcess, app: str, client: httpx.Client) -> Iterator[Executor]:
    """An executor that must stay HEALTHY meanwhile."""
    executor = Executor(relay, app, "witness")
    healthy(client, app, "witness")
    yield executor
    assert statuses(client, app)["witness"] == "HEALTHY"
    assert not executor.closed.is_set()
    executor.close()


def test_more_than_64_kib_before_the_handshake_is_refused(relay: RelayProcess, app: str) -> None:
    raw = RawExecutor(relay, app)
    raw.read_until(TEXT)
    raw.socket.sendall(frame(TEXT, b"", length=64 * 1024 + 1))
    assert raw.ended() == "1009"


def test_a_whole_64_kib_before_the_handshake_is_taken(relay: RelayProcess, app: str, client: httpx.Client) -> None:
    raw = RawExecutor(relay, app)
    raw.handshake("e1", executor_metadata={"pad": "x" * 65_300})
    healthy(client, app, "e1")


def test_more_than_100_mib_after_the_handshake_is_refused(relay: RelayProcess, app: str, client: httpx.Client) -> None:
    raw = RawExecutor(relay, app)
    raw.handshake("e1")
    healthy(client, app, "e1")
    raw.socket.sendall(frame(TEXT, b"", length=100 * 1024 * 1024 + 1))
    assert raw.ended() == "1009"


def test_many_fragments_count_together(relay: RelayProcess, app: str) -> None:
    raw = RawExecutor(relay, app)
    raw.read_until(TEXT)
    raw.socket.sendall(frame(TEXT, b"x" * 1024, fin=False) + frame(CONT, b"x" * 1024, fin=False) * 64)
    assert raw.ended() == "1009"


def test_a_large_answer_in_fragments_with_pings_between_is_one_answer(
    relay: RelayProcess, app: str, client: httpx.Client
) -> None:
    raw = RawExecutor(relay, app)
    raw.handshake("e1")
    healthy(client, app, "e1")
    with ThreadPoolExecutor(1) as pool:
        calling = pool.submit(client.get, f"/v2/orgs/acme/apps/{app}/workflows/w")
        request = json.loads(raw.read_until(TEXT))
        body = {"type": "get_workflow", "request_id": request["request_id"]}
        body["output"] = {"WorkflowUUID": "w", "Status": "SUCCESS", "Output": "é" * 2_000_000}
        data = json.dumps(body, ensure_ascii=False).encode()
        size = 128 * 1024
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        for at, piece in enumerate(pieces):
            raw.socket.sendall(frame(CONT if at else TEXT, piece, fin=at == len(pieces) - 1))
            raw.socket.sendall(frame(PING, str(at).encode()) + frame(PONG, b"unasked") * 2)
        answer = calling.result(20)
    assert answer.status_code == 200
    assert len(answer.json()["output"]) == 2_000_000


@pytest.mark.parametrize(
    "data",
    [
        frame(TEXT, b"{not json"),
        frame(TEXT, b"[]"),
        frame(TEXT, b"\xff\xfe"),
        frame(TEXT, b'{"a":' * 100_00 + b"1" + b"}" * 100_00),
        frame(BINARY, b"{}"),
        b"\x83\x80\x00\x00\x00\x00",  # a reserved opcode
        b"\x81\x02{}",  # not masked
        frame(CONT, b"of nothing"),
        frame(PING, b"x" * 126),
        frame(CLOSE, b"\x00"),
    ],
)
def test_bad_frames_end_their_own_connection_at_most(
    relay: RelayProcess, app: str, client: httpx.Client, data: bytes
) -> None:
    with witness(relay, app, client):
        for shaken in (False, True):
            raw = RawExecutor(relay, app)
            if shaken:
                raw.handshake("bad")
                healthy(client, app, "bad")
            raw.socket.sendall(data)
            assert raw.ended() in ("1002", "1003", "1007", "1009", "fin", "reset")


def test_metadata_as_deep_as_json_can_be_spoils_no_list(relay: RelayProcess, app: str, client: httpx.Client) -> None:
    with witness(relay, app, client):
        for depth in range(900, 1000):
            raw = RawExecutor(relay, app)
            request = json.loads(raw.read_until(TEXT))
            info = {"type": "executor_info", "request_id": request["request_id"], "executor_id": "deep"}
            text = json.dumps(info)[:-1] + ',"executor_metadata":' + '{"a":' * depth + "1" + "}" * depth + "}"
            raw.socket.sendall(frame(TEXT, text.encode()))
            raw.socket.close()
        until(lambda: "witness" in statuses(client, app), "a list")


def test_pings_are_answered_with_their_payload(relay: RelayProcess, app: str) -> None:
    raw = RawExecutor(relay, app)
    raw.socket.sendall(frame(PING, b"one"))
    assert raw.read_until(PONG) == b"one"


def test_a_reader_that_reads_nothing_is_dropped_and_others_are_served(tmp_path: Path) -> None:
    limits = {"limits": {"write_deadline_s": 1.0}}
    with relay_in(tmp_path, {**CONFIG, **limits, "timing": {}}) as relay, relay.client() as client:
        client.put("/v2/orgs/acme/apps/shop")
        with witness(relay, "shop", client):
            raw = RawExecutor(relay, "shop", receive_buffer=4096)
            raw.handshake("slow")
            healthy(client, "shop", "slow")
            pings = frame(PING, b"x" * 125) * 500
            began_s = time.monotonic()
            with pytest.raises((ConnectionResetError, BrokenPipeError)):
                while time.monotonic() - began_s < 20:  # its pongs fill every buffer on the way
                    raw.socket.sendall(pings)
            until(lambda: statuses(client, "shop")["slow"] == "DISCONNECTED", "slow DISCONNECTED")
            assert client.get("/healthz").elapsed.total_seconds() < 1
            assert _resident_mib(relay) < 200


def test_a_flood_leaves_time_for_others(relay: RelayProcess, app: str, client: httpx.Client) -> None:
    with witness(relay, app, client):
        raw = RawExecutor(relay, app)
        raw.handshake("flood")
        healthy(client, app, "flood")
        raw.socket.setblocking(False)
        flood = frame(PONG) * 20_000
        slowest_s, end_s = 0.0, time.monotonic() + 2
        while time.monotonic() < end_s:
            with suppress(BlockingIOError):
                raw.socket.send(flood)
            slowest_s = max(slowest_s, client.get("/healthz").elapsed.total_seconds())
        assert slowest_s < 1.0
        raw.socket.close()


def test_an_idle_connection_without_a_request_is_dropped(tmp_path: Path) -> None:
    with relay_in(tmp_path, {**CONFIG, "limits": {"header_deadline_s": 0.3}}) as relay:
        for start in (b"", b"GET /healthz HT", b"GET /healthz HTTP/1.1\r\nA: "):
            with socket.create_connection(("127.0.0.1", relay.port), timeout=5) as sock:
                sock.sendall(start)
                with suppress(ConnectionResetError):
                    assert sock.recv(100) == b""


def test_a_body_that_does_not_come_is_not_waited_for(tmp_path: Path) -> None:
    with relay_in(tmp_path, {**CONFIG, "limits": {"header_deadline_s": 0.3}}) as relay, relay.client() as client:
        client.put("/v2/orgs/acme/apps/shop")
        headers = {"Authorization": f"Bearer {ADMIN}", "Content-Length": "9"}
        with socket.create_connection(("127.0.0.1", relay.port), timeout=5) as sock:
            sock.sendall(head("PATCH", "/v2/orgs/acme/apps/shop", headers))
            assert sock.recv(100).startswith(b"HTTP/1.1 408 ")


def _resident_mib(relay: RelayProcess) -> float:
    status = Path(f"/proc/{relay.process.pid}/status").read_text(encoding="utf-8")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024
