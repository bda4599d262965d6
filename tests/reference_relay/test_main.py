"""Starting and stopping a relay as its user does."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.reference_relay.support import (
    ADMIN,
    CONFIG,
    ROOT,
    Executor,
    RelayProcess,
    healthy,
    relay_in,
    statuses,
    until,
)


def ended(folder: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A relay that can't start."""
    command = [sys.executable, "-m", "reference_relay", *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, timeout=30, check=False)


def test_without_any_configuration(tmp_path: Path) -> None:
    with relay_in(tmp_path, None, "--port", "0") as relay:
        assert relay.ready == {
            "event": "ready", "host": "127.0.0.1", "port": relay.port, "base_path": "", "auth": "keys",
            "organisations": ["local"],
        }  # fmt: skip
        (key,) = re.findall(r"dbos_local_\w+", relay.log())
        with relay.client(key) as client:
            assert client.put("/v2/orgs/local/apps/shop").status_code == 204
            executor = Executor(relay, "shop", "e1", key=key)
            until(lambda: statuses(client, "shop", "local") == {"e1": "HEALTHY"}, "e1 HEALTHY")
            executor.close()
        assert relay.stop() == 0
        assert len(re.findall(key, relay.log())) == 1
    assert (tmp_path / "relay-data" / "relay.sqlite").exists()


@pytest.mark.parametrize("name", ["relay.lock", "relay.sqlite"])
def test_a_directory_in_a_files_place_is_told_in_a_sentence(tmp_path: Path, name: str) -> None:
    (tmp_path / "data" / name).mkdir(parents=True)
    done = ended(tmp_path, "--port", "0", "--data", "data", PYTHONPATH=str(ROOT))
    assert done.returncode == 64
    assert name in done.stderr
    assert "another --data" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("name", "value"), [("HOST", ""), ("DATA", " "), ("HOST", "b\u00fccher\u2024"), ("PORT", "65536"), ("AUTH", "off")]
)
def test_an_illegal_environment_value_is_told_in_a_sentence(tmp_path: Path, name: str, value: str) -> None:
    variables = {f"RELAYPROOF_RELAY_{name}": value, "PYTHONPATH": str(ROOT)}
    done = ended(tmp_path, *([] if name == "PORT" else ["--port", "0"]), **variables)
    assert done.returncode == 64, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("options", [["--no-such-option"], ["--port", "eighty"], ["stray"]])
def test_a_wrong_option_is_wrong_usage(options: list[str], tmp_path: Path) -> None:
    done = ended(tmp_path, *options, PYTHONPATH=str(ROOT))
    assert done.returncode == 64, done.stderr
    assert options[-1] in done.stderr and "usage: python -m reference_relay" in done.stderr


def test_in_memory_nothing_is_written(tmp_path: Path) -> None:
    with relay_in(tmp_path, None, "--port", "0", "--data", ":memory:") as relay, relay.client(None) as client:
        assert client.get("/healthz").status_code == 200
    assert [path.name for path in tmp_path.iterdir()] == ["relay.log"]


def test_without_authentication(tmp_path: Path) -> None:
    with relay_in(tmp_path, {"port": 0, "auth": "none"}) as relay, relay.client(None) as client:
        assert client.put("/v2/orgs/local/apps/shop").status_code == 204
        assert client.get("/v2/orgs/acme/apps").status_code == 404
        executor = Executor(relay, "shop", "e1", key="anything")
        until(lambda: statuses(client, "shop", "local") == {"e1": "HEALTHY"}, "e1 HEALTHY")
        (entry,) = client.get("/v2/orgs/local/audit-logs").json()
        assert entry["subject"]["type"] == "user"
        executor.close()


def test_sigterm_closes_in_good_order_and_disconnects_nobody(tmp_path: Path) -> None:
    with relay_in(tmp_path) as relay:
        with relay.client() as client:
            client.put("/v2/orgs/acme/apps/shop")
            executor = Executor(relay, "shop", "e1")
            healthy(client, "shop", "e1")
        assert relay.stop() == 0
        assert executor.closed.wait(2)
        assert executor.socket.protocol.close_code == 1001
        assert "disconnected" not in relay.log()


def test_a_port_in_use_is_said_so(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = ended(tmp_path, "--port", port)
    assert done.returncode == 64
    assert f"can't listen on 127.0.0.1 port {port}" in done.stderr
    assert done.stdout == ""


def test_data_in_use_is_said_so(tmp_path: Path) -> None:
    with relay_in(tmp_path) as relay:
        done = ended(tmp_path, "--config", str(relay.config), "--data", str(tmp_path / "data"))
    assert done.returncode == 64
    assert f"in use by another relay (process {relay.process.pid})" in done.stderr


def test_a_wrong_configuration_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "relay.yaml").write_text("prot: 1")
    done = ended(tmp_path, "--config", "relay.yaml")
    assert done.returncode == 64
    assert done.stderr.startswith("reference_relay: relay.yaml: prot: unknown key; allowed here: host")
    done = ended(tmp_path, RELAYPROOF_RELAY_PORT="x")
    assert (done.returncode, "RELAYPROOF_RELAY_PORT" in done.stderr) == (64, True)


def test_a_patch_wins_over_the_file_and_survives(tmp_path: Path) -> None:
    applications = {"shop": {"executorTimeoutSecs": 30, "privateMode": True}}
    acme = {"keys": [{"name": "admin", "key": ADMIN, "permissions": "all"}], "applications": applications}
    config = {**CONFIG, "organisations": {"acme": acme}}
    path = "/v2/orgs/acme/apps/shop"
    with relay_in(tmp_path, config) as relay, relay.client() as client:
        before = client.get(path).json()
        assert (before["executorTimeoutSecs"], before["privateMode"]) == (30, True)
        assert client.patch(path, json={"executorTimeoutSecs": 7}).status_code == 204
        relay.kill()
    applications["shop"] = {"executorTimeoutSecs": 40, "privateMode": False}
    with relay_in(tmp_path, config) as relay, relay.client() as client:
        assert client.get(path).json() == before | {"executorTimeoutSecs": 7, "privateMode": False}


def test_a_revoked_key_stays_revoked_and_a_created_one_valid(tmp_path: Path) -> None:
    with relay_in(tmp_path) as relay:
        with relay.client() as client:
            client.put("/v2/orgs/acme/apps/shop")
            for name in ("kept", "gone"):
                client.post(f"/v2/orgs/acme/tokens/{name}", json={"permissions": ["application.read"]})
            kept = client.post("/v2/orgs/acme/tokens/reader", json={"permissions": ["application.read"]}).json()[
                "token"
            ]
            client.delete("/v2/orgs/acme/tokens/gone")
        relay.kill()
        relay.start()
        with relay.client() as client:
            names = [token["tokenName"] for token in client.get("/v2/orgs/acme/tokens").json()]
            assert sorted(names) == ["admin", "kept", "reader"]
        with relay.client(kept) as client:
            assert client.get("/v2/orgs/acme/apps/shop").status_code == 200


@pytest.mark.parametrize("host", ["::1"])
def test_ipv6(tmp_path: Path, host: str) -> None:
    try:
        socket.create_server((host, 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    relay = RelayProcess(tmp_path, None, "--port", "0", "--host", host, "--data", ":memory:")
    try:
        with socket.create_connection((host, relay.port), timeout=5) as sock:
            sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            assert sock.recv(100).startswith(b"HTTP/1.1 200")
    finally:
        relay.kill()
