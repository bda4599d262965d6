"""A relay as a process, and a scripted executor on a real socket."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

ADMIN = "dbos_acme_admin0123456789abcdef"
OTHER_ADMIN = "dbos_globex_admin0123456789abcdef"
TIMING = {
    "ping_interval_s": 0.5,
    "ping_wait_s": 1.25,
    "grace_s": 2.0,
    "scan_s": 0.1,
    "slack_s": 0.3,
    "handshake_deadline_s": 1.25,
    "request_deadline_s": 1.0,
    "recovery_deadline_s": 2.0,
    "backoff_first_s": 0.2,
    "backoff_cap_s": 1.0,
    "redial_s": 0.1,
}
CONFIG = {
    "port": 0,
    "organisations": {
        "acme": {"keys": [{"name": "admin", "key": ADMIN, "permissions": "all"}]},
        "globex": {"keys": [{"name": "admin", "key": OTHER_ADMIN, "permissions": "all"}]},
    },
    "timing": TIMING,
}
ROOT = Path(__file__).parents[2]
T = TypeVar("T")


def until(probe: Callable[[], T | None], what: str, within_s: float = 10.0) -> T:
    """Ask again until the probe gives something."""
    deadline_s = time.monotonic() + within_s
    while time.monotonic() < deadline_s:
        found = probe()
        if found:
            return found
        time.sleep(0.005)
    raise AssertionError(f"not seen within {within_s} s: {what}")


class RelayProcess:
    """`python -m reference_relay` (or another module that serves one) on a folder of its own."""

    def __init__(
        self, folder: Path, config: Mapping[str, Any] | None = CONFIG, *options: str, module: str = "reference_relay"
    ) -> None:
        self.folder = folder
        self._module = module
        self.config = folder / "relay.yaml"
        if config is not None:
            self.config.write_text(json.dumps(config), encoding="utf-8")  # JSON is YAML
        self._options = options or ("--config", str(self.config), "--data", str(folder / "data"))
        self.log_path = folder / "relay.log"
        self.port = 0
        self.start()

    def start(self) -> None:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("RELAYPROOF_")}
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", self._module, *self._options],
                stdout=subprocess.PIPE, stderr=log, cwd=self.folder, env=environment | {"PYTHONPATH": str(ROOT)},
            )  # fmt: skip
        assert self.process.stdout is not None
        if not select.select([self.process.stdout], [], [], 20)[0]:
            raise AssertionError(f"not ready in 20 s: {self.log()}")
        line = self.process.stdout.readline()
        assert line, f"ended at once: {self.log()}"
        self.ready = json.loads(line)
        self.port = self.ready["port"]

    def log(self) -> str:
        return self.log_path.read_text(encoding="utf-8")

    def kill(self) -> None:
        self.process.kill()
        self._reap()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self._reap()

    def _reap(self) -> int:
        code = self.process.wait(10)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    def client(self, key: str | None = ADMIN) -> httpx.Client:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return httpx.Client(base_url=f"http://127.0.0.1:{self.port}", headers=headers, timeout=20, verify=False)

    def url(self, app: str, key: str = ADMIN, base: str = "") -> str:
        return f"ws://127.0.0.1:{self.port}{base}/websocket/{app}/{key}"


@contextmanager
def relay_in(
    folder: Path, config: Mapping[str, Any] | None = CONFIG, *options: str, module: str = "reference_relay"
) -> Iterator[RelayProcess]:
    relay = RelayProcess(folder, config, *options, module=module)
    try:
        yield relay
    finally:
        if relay.process.poll() is None:
            relay.kill()


Answer = Callable[[dict[str, Any]], dict[str, Any] | None]


class Executor:
    """Registers and answers every request with ``answers[type]``, by default a plain success."""

    def __init__(self, relay: RelayProcess, app: str, executor_id: str, **options: Any) -> None:
        self.id = executor_id
        self.version: str = options.get("version", "v1")
        self.answers: dict[str, Answer] = {}
        self.requests: list[dict[str, Any]] = []
        self.closed = threading.Event()
        url = relay.url(app, options.get("key", ADMIN))
        self._open = ExitStack()
        dialled = connect(url, compression=None, max_size=None, ping_interval=None, proxy=None)
        self.socket: ClientConnection = self._open.enter_context(dialled)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        try:
            for frame in self.socket:
                request = json.loads(frame)
                self.requests.append(request)
                answer = self.answers.get(request["type"], self._default)(request)
                if answer is not None:
                    self.socket.send(
                        json.dumps({"type": request["type"], "request_id": request["request_id"], **answer})
                    )
        except ConnectionClosed:
            pass
        finally:
            self.closed.set()

    def _default(self, request: dict[str, Any]) -> dict[str, Any]:
        if request["type"] == "executor_info":
            return {"executor_id": self.id, "application_version": self.version, "language": "python"}
        if request["type"] == "list_application_versions":
            return {"output": [version_row(self.version, 1)]}
        if request["type"] == "exist_pending_workflows":
            return {"exist": False}
        return {"success": True}

    def seen(self, type_: str) -> list[dict[str, Any]]:
        return [request for request in self.requests if request["type"] == type_]

    def close(self) -> None:
        self._open.close()
        self._thread.join(5)


def version_row(name: str, timestamp: int) -> dict[str, Any]:
    return {"version_id": f"id-{name}", "version_name": name, "version_timestamp": timestamp, "created_at": timestamp}


def statuses(client: httpx.Client, app: str, org: str = "acme") -> dict[str, str]:
    answer = client.get(f"/v2/orgs/{org}/apps/{app}/executors")
    assert answer.status_code == 200, answer.text
    return {executor["executorId"]: executor["status"] for executor in answer.json()}


def healthy(client: httpx.Client, app: str, *ids: str) -> None:
    until(lambda: all(statuses(client, app).get(i) == "HEALTHY" for i in ids), f"{ids} HEALTHY")
