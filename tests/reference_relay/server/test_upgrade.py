"""The executors' path: who gets in, over real sockets."""

from __future__ import annotations

import base64
import json
import os
import socket
from contextlib import suppress

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.reference_relay.support import ADMIN, OTHER_ADMIN, Executor, RelayProcess, healthy, statuses, until

UPGRADE = {
    "Host": "x",
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
    "Sec-WebSocket-Version": "13",
}


def exchange(relay: RelayProcess, data: bytes) -> bytes:
    """Send bytes, read until the relay closes."""
    with socket.create_connection(("127.0.0.1", relay.port), timeout=15) as sock:
        sock.sendall(data)
        answer = b""
        with suppress(ConnectionResetError):
            while chunk := sock.recv(65536):
                answer += chunk
        return answer


def head(method: str, path: str, headers: dict[str, str], version: str = "1.1") -> bytes:
    lines = [f"{method} {path} HTTP/{version}", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    return "\r\n".join(lines).encode()


def refusal(relay: RelayProcess, app: str, key: str, base: str = "") -> InvalidStatus:
    with pytest.raises(InvalidStatus) as caught, connect(relay.url(app, key, base), proxy=None):
        pass
    return caught.value


@pytest.mark.parametrize("base", ["", "/", "/conductor", "/a/b//", "/websocket/x"])
def test_every_base_path_reaches_the_endpoint(relay: RelayProcess, app: str, base: str) -> None:
    with connect(relay.url(app, base=base), proxy=None) as executor:
        first = json.loads(executor.recv(timeout=5))
        assert first["type"] == "executor_info"
        assert first["request_id"]


def test_a_percent_encoded_name_is_decoded_once(relay: RelayProcess, app: str) -> None:
    with connect(relay.url(app.replace("a", "%61")), proxy=None) as executor:
        assert executor.recv(timeout=5)
    assert refusal(relay, app.replace("a", "%2561"), ADMIN).response.status_code == 404


@pytest.mark.parametrize(
    ("key", "status"),
    [("dbos_acme_wrong0123456789ab", 401), (OTHER_ADMIN, 404), ("%ff", 400), ("", 400), ("a%2Fb", 401)],
)
def test_a_wrong_key_is_refused_at_the_upgrade(relay: RelayProcess, app: str, key: str, status: int) -> None:
    response = refusal(relay, app, key).response
    assert response.status_code == status
    body = json.loads(response.body or b"")
    assert body["status"] == status
    assert not key or key not in (response.body or b"").decode()


def test_an_unknown_application_is_refused(relay: RelayProcess) -> None:
    assert refusal(relay, "nowhere", ADMIN).response.status_code == 404


def test_an_encoded_slash_never_changes_the_route(relay: RelayProcess, app: str) -> None:
    assert b" 404 " in exchange(relay, head("GET", f"/websocket/{app}%2F{ADMIN}", UPGRADE)).splitlines()[0]
    assert b" 404 " in exchange(relay, head("GET", f"/websocket%2F{app}/{ADMIN}", UPGRADE)).splitlines()[0]


@pytest.mark.parametrize(
    ("method", "version", "changes"),
    [
        ("GET", "1.1", {"Sec-WebSocket-Key": "short"}),
        ("GET", "1.1", {"Sec-WebSocket-Key": ""}),
        ("GET", "1.1", {"Sec-WebSocket-Version": "8"}),
        ("GET", "1.1", {"Upgrade": "h2c"}),
        ("GET", "1.1", {"Connection": "keep-alive"}),
        ("GET", "1.0", {}),
        ("POST", "1.1", {}),
        ("POST", "1.1", {"Content-Length": "3"}),
    ],
)
def test_a_broken_upgrade_gets_a_client_error(
    relay: RelayProcess, app: str, method: str, version: str, changes: dict[str, str]
) -> None:
    request = head(method, f"/websocket/{app}/{ADMIN}", UPGRADE | {"Connection": "Upgrade"} | changes, version)
    answer = exchange(relay, request + b"abc" * ("Content-Length" in changes))
    assert answer.startswith(b"HTTP/1.1 4"), answer
    assert ADMIN.encode() not in answer


def test_a_plain_request_is_told_to_upgrade(relay: RelayProcess, app: str, client: httpx.Client) -> None:
    answer = client.get(f"/base//websocket/{app}/{ADMIN}")
    assert answer.status_code == 426
    assert answer.headers["content-type"] == "application/problem+json"
    assert ADMIN not in answer.text


@pytest.mark.parametrize(
    "garbage", [b"\x16\x03\x01\x00\xa5\x01\x00\x00", b"GET\r\n\r\n", b"\x00" * 5000, b"G" * 100_000]
)
def test_garbage_in_place_of_http_disturbs_nobody(relay: RelayProcess, client: httpx.Client, garbage: bytes) -> None:
    assert not exchange(relay, garbage).startswith(b"HTTP/1.1 5")
    assert client.get("/healthz").status_code == 200


def test_compression_is_not_taken(relay: RelayProcess, app: str) -> None:
    headers = UPGRADE | {"Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits"}
    with socket.create_connection(("127.0.0.1", relay.port), timeout=5) as sock:
        sock.sendall(head("GET", f"/websocket/{app}/{ADMIN}", headers))
        answer = sock.recv(65536)
    assert answer.startswith(b"HTTP/1.1 101")
    assert b"permessage-deflate" not in answer


def test_revoking_a_key_closes_its_connections_and_no_other(
    relay: RelayProcess, app: str, client: httpx.Client
) -> None:
    created = client.post(f"/v2/orgs/acme/tokens/{app}", json={"appNames": [app]}).json()
    guest = Executor(relay, app, "guest", key=created["token"])
    host = Executor(relay, app, "host")
    healthy(client, app, "guest", "host")
    assert client.delete(f"/v2/orgs/acme/tokens/{app}").status_code == 204
    assert guest.closed.wait(2)
    until(lambda: statuses(client, app).get("guest") == "DISCONNECTED", "guest DISCONNECTED")
    assert statuses(client, app)["host"] == "HEALTHY"
    assert not host.closed.is_set()
    assert refusal(relay, app, created["token"]).response.status_code == 401
    host.close()


def test_a_scoped_key_opens_no_other_application(relay: RelayProcess, app: str, client: httpx.Client) -> None:
    client.put(f"/v2/orgs/acme/apps/{app}-2")
    token = client.post(f"/v2/orgs/acme/tokens/{app}", json={"appNames": [app]}).json()["token"]
    assert refusal(relay, f"{app}-2", token).response.status_code == 403


def test_a_bad_key_that_comes_back_costs_one_log_line(relay: RelayProcess, app: str) -> None:
    bad = "dbos_acme_comesback0123456789"
    before = relay.log().count("an upgrade was refused")
    for _ in range(20):
        refusal(relay, app, bad)
    assert relay.log().count("an upgrade was refused") - before <= 1
    assert bad not in relay.log()
