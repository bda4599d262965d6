"""HTTP from clients that mean no good: each gets an answer or an end in bounded time and memory."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.reference_relay.server.test_limits import PONG, RawExecutor, frame
from tests.reference_relay.server.test_upgrade import UPGRADE, exchange, head
from tests.reference_relay.support import ADMIN, CONFIG, RelayProcess, healthy, relay_in

PATH = "/v2/orgs/acme/apps/shop"
CALL = {"Authorization": f"Bearer {ADMIN}", "Host": "x", "Connection": "close"}
CHUNKED = head("PATCH", PATH, CALL | {"Transfer-Encoding": "chunked"})
ONCE = {"Host": "x", "Connection": "close"}


@pytest.fixture(scope="module")
def relay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RelayProcess]:
    config = {**CONFIG, "limits": {"header_deadline_s": 0.5, "body_bytes": 4096}}
    with relay_in(tmp_path_factory.mktemp("relay"), config) as process:
        with process.client() as client:
            assert client.put(PATH).status_code == 204
        yield process
        assert process.process.poll() is None, f"the relay ended: {process.log()}"
        assert '"level": "error"' not in process.log()


def until(sock: socket.socket, end: bytes) -> bytes:
    """What came, up to the part that ends with ``end``: an answer may come in several parts."""
    seen = b""
    while end not in seen:
        part = sock.recv(4096)
        assert part, f"the connection ended before {end!r}: {seen!r}"
        seen += part
    return seen


def many(count: int) -> dict[str, str]:
    return {f"h{number}": "x" for number in range(count)}


def status(answer: bytes) -> int:
    assert answer.startswith(b"HTTP/1.1 "), answer[:100]
    return int(answer[9:12])


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (head("GET", "/healthz", ONCE | many(126)), 200),
        (head("GET", "/healthz", ONCE | many(127)), 431),
        (head("GET", "/healthz", ONCE | many(10_000)), 431),
        (head("GET", f"/websocket/shop/{ADMIN}", UPGRADE | many(10_000)), 431),
        (head("GET", "/healthz", ONCE | {"A": "x" * 70_000}), 431),
        (b"GET /healthz HTTP/1.1\r\nA: " + b"x" * 300_000, 431),
        (b"GET /" + b"x" * 300_000, 431),
        (b"GET /healthz HTTP/1.1\r\nHost: x\r\nA: \x00\r\n\r\n", 400),
        (head("GET", "/v2/orgs/acme/apps/\x00", CALL), 400),
        (head("GET", "/v2/orgs/acme/apps/%zz", CALL), 400),
        (head("POST", "/v2/orgs/acme/tokens/%ff", CALL), 400),
        (head("GET", "/v2/orgs/acme/apps/a%00b", CALL), 404),
        (head("PUT", "/v2/orgs/acme/apps/a%00b", CALL), 422),
        ("GET /v2/orgs/acme/apps/é HTTP/1.1\r\nHost: x\r\n\r\n".encode(), 400),
        (head("GET", f"/v2/orgs/acme/audit-logs?limit={'9' * 60_000}", CALL), 422),
        (head("GET", "/v2/orgs/acme/audit-logs?operation=%ff%zz%00%ed%a0%80", CALL), 200),
        (head("GET", f"/v2/orgs/acme/audit-logs?offset={'9' * 30}", CALL), 422),
        (head("GET", "/healthz", ONCE | {"Upgrade": "h2c", "Connection": "close, Upgrade"}), 200),
        (b"CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (head("OPTIONS", "*", ONCE), 404),
        (head("GET", "http://x/healthz", ONCE), 200),
    ],
)
def test_an_odd_request_gets_its_answer(relay: RelayProcess, request_: bytes, expected: int) -> None:
    assert status(exchange(relay, request_)) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"2\r\n{}\r\n0\r\n\r\n", 204),
        (b"2;a=b\r\n{}\r\n0\r\nTrailer: x\r\n\r\n", 204),
        (b"5\r\n{}\r\n0\r\n\r\n", 400),
        (b"zz\r\n{}\r\n0\r\n\r\n", 400),
        (b"FFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n", 400),
        (b"2\r\n{}\r\n", 408),
        (b"2\r\n{}\r\n0\r\n" + b"T: x\r\n" * 10_000, 400),
        (b"1388\r\n" + b" " * 5000 + b"\r\n0\r\n\r\n", 413),
    ],
)
def test_a_chunked_body_is_taken_at_its_word_and_no_further(relay: RelayProcess, body: bytes, expected: int) -> None:
    assert status(exchange(relay, CHUNKED + body)) in (expected, 431 if b"T: x" in body else expected)


@pytest.mark.parametrize(
    "lie",
    [
        {"Transfer-Encoding": "chunked", "Content-Length": "2"},
        {"Content-Length": "-2"},
        {"Content-Length": "2", "content-length": "3"},
    ],
)
def test_two_lengths_are_no_length(relay: RelayProcess, lie: dict[str, str]) -> None:
    assert status(exchange(relay, head("PATCH", PATH, CALL | lie) + b"{}")) == 400


def test_a_trailer_without_end_ends_the_connection(relay: RelayProcess) -> None:
    with socket.create_connection(("127.0.0.1", relay.port), timeout=10) as sock:
        sock.sendall(CHUNKED + b"2\r\n{}\r\n0\r\nT: ")
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            for _ in range(200):
                sock.sendall(b"x" * 65_536)


def test_a_body_that_nobody_waits_for_has_its_time_too(relay: RelayProcess) -> None:
    with socket.create_connection(("127.0.0.1", relay.port), timeout=10) as sock:
        sock.sendall(head("GET", "/nowhere", {"Host": "x", "Content-Length": "9999"}))
        assert until(sock, b"no such path").startswith(b"HTTP/1.1 404 ")
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            for _ in range(100):
                sock.sendall(b"x")
                sock.settimeout(0.05)
                try:
                    assert sock.recv(100) == b""
                    raise BrokenPipeError
                except TimeoutError:
                    pass


def test_many_requests_of_one_connection_have_a_limit_each(relay: RelayProcess) -> None:
    request = head("PATCH", PATH, {**CALL, "Connection": "keep-alive", "Content-Length": "4000"}) + b"{}" + b" " * 3998
    with socket.create_connection(("127.0.0.1", relay.port), timeout=10) as sock:
        for _ in range(30):
            sock.sendall(request[:100])
            sock.sendall(request[100:])
            assert sock.recv(4096).startswith(b"HTTP/1.1 204 ")


def test_pipelined_requests_are_answered_in_order(relay: RelayProcess) -> None:
    requests = head("GET", "/healthz", {"Host": "x"}) + head("GET", "/nowhere", {"Host": "x"})
    answer = exchange(relay, requests + head("GET", "/healthz", ONCE))
    assert [int(part[1:4]) for part in answer.split(b"HTTP/1.1")[1:]] == [200, 404, 200]


def test_an_upgrade_behind_an_unanswered_request_is_refused(relay: RelayProcess) -> None:
    """Its frames would be mixed with the answer."""
    slow = head("PATCH", PATH, {"Authorization": f"Bearer {ADMIN}", "Host": "x", "Content-Length": "2"}) + b"{}"
    answer = exchange(relay, slow + head("GET", f"/websocket/shop/{ADMIN}", UPGRADE))
    assert status(answer) == 400
    assert b"101" not in answer


def test_an_upgrade_behind_an_answered_request_is_served(relay: RelayProcess) -> None:
    with socket.create_connection(("127.0.0.1", relay.port), timeout=10) as sock:
        sock.sendall(head("GET", "/healthz", {"Host": "x"}))
        assert until(sock, b'{"status":"ok"}').startswith(b"HTTP/1.1 200 ")
        sock.sendall(head("GET", f"/websocket/shop/{ADMIN}", UPGRADE))
        assert sock.recv(4096).startswith(b"HTTP/1.1 101 ")


def test_frames_sent_with_the_upgrade_are_not_lost(relay: RelayProcess) -> None:
    with socket.create_connection(("127.0.0.1", relay.port), timeout=10) as sock:
        sock.sendall(head("GET", f"/websocket/shop/{ADMIN}", UPGRADE) + b"\x89\x83\x00\x00\x00\x00abc")
        seen = b""
        while b"\x8a\x03abc" not in seen:
            chunk = sock.recv(4096)
            assert chunk, seen
            seen += chunk


def test_an_upgrade_that_comes_in_pieces_is_one(relay: RelayProcess) -> None:
    request = head("GET", f"/websocket/shop/{ADMIN}", UPGRADE)
    with socket.create_connection(("127.0.0.1", relay.port), timeout=10) as sock:
        for at in range(0, len(request), 7):
            sock.sendall(request[at : at + 7])
        assert sock.recv(4096).startswith(b"HTTP/1.1 101 ")


@pytest.mark.parametrize("executor_id", ["a\x00b", "\x1b[2J\r\n", "../../etc", "é" * 1024, "<key>", "\u202e", " "])
def test_any_text_is_an_executor_id(relay: RelayProcess, executor_id: str) -> None:
    raw = RawExecutor(relay, "shop")
    raw.handshake(executor_id)
    with relay.client() as client:
        healthy(client, "shop", executor_id)
    raw.socket.close()


@pytest.mark.parametrize("executor_id", ["", "x" * 1025, 7, None, ["a"]])
def test_what_is_no_executor_id_registers_nobody(relay: RelayProcess, executor_id: object) -> None:
    raw = RawExecutor(relay, "shop")
    request = json.loads(raw.read_until(1))
    raw.answer(request, executor_id=executor_id, application_version="v1")
    assert raw.ended() == "1008"


def test_an_application_deleted_in_mid_handshake_takes_the_connection_with_it(relay: RelayProcess) -> None:
    with relay.client() as client:
        assert client.put("/v2/orgs/acme/apps/short-lived").status_code == 204
        raw = RawExecutor(relay, "short-lived")
        request = json.loads(raw.read_until(1))
        assert client.delete("/v2/orgs/acme/apps/short-lived").status_code == 204
        raw.socket.sendall(frame(PONG))
        raw.answer(request, executor_id="late", application_version="v1")
        assert raw.ended() in ("1008", "reset")
        assert client.put("/v2/orgs/acme/apps/short-lived").status_code == 204
        assert client.get("/v2/orgs/acme/apps/short-lived/executors").json() == []


def test_a_half_closed_upgrade_leaves_nothing(relay: RelayProcess) -> None:
    before = _open_sockets(relay)
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", relay.port), timeout=10) as sock:
            sock.sendall(head("GET", f"/websocket/shop/{ADMIN}", UPGRADE))
            sock.shutdown(socket.SHUT_WR)
            while sock.recv(4096):
                pass
    assert _open_sockets(relay) <= before + 2


def _open_sockets(relay: RelayProcess) -> int:
    return sum(1 for _ in Path(f"/proc/{relay.process.pid}/fd").iterdir())
