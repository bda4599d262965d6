"""What the tests of worker programs need: a scripted relay, a driver of one worker, and the databases behind it."""

from __future__ import annotations

import contextlib
import itertools
import json
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from sdk_matrix.contract import Alert, Command, Config, Outcome, Queue, Ready, Report, encode, read_report
from sdk_matrix.languages import Worker

WITHIN_S = 90.0  # a loaded machine is no failure of a worker
TERMINAL = {"SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"}
QUEUES = (
    Queue("single", worker_concurrency=1, concurrency=1, priority=True, polling_interval_s=0.2),
    Queue("wide", polling_interval_s=0.2),
)


def until(what: Callable[[], Any], why: str) -> Any:
    """Look until it is truthy; what it was."""
    deadline_s = time.monotonic() + WITHIN_S
    while not (found := what()):
        assert time.monotonic() < deadline_s, f"not within {WITHIN_S:g} s: {why}"
        time.sleep(0.05)
    return found


class Relay:
    """Asks every executor for its executor_info, and sends what a test wants sent."""

    def __init__(self) -> None:
        self.infos: dict[str, dict[str, Any]] = {}  # by executor id
        self.paths: list[str] = []
        self.url = ""
        self._live: dict[str, ServerConnection] = {}
        self._answers: dict[str, queue.Queue[dict[str, Any]]] = {}
        self._numbers = itertools.count(1)

    @contextlib.contextmanager
    def running(self) -> Iterator[Relay]:
        with serve(self._serve, "127.0.0.1", 0, ping_interval=None) as server:
            self.url = f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
            thread = threading.Thread(target=server.serve_forever, daemon=True)
            thread.start()
            try:
                yield self
            finally:
                server.shutdown()
                for connection in list(self._live.values()):
                    connection.close()
                thread.join()

    def request(self, executor: str, **fields: Any) -> dict[str, Any]:
        request_id = f"r{next(self._numbers)}"
        answer = self._answers[request_id] = queue.Queue()
        self._live[executor].send(json.dumps({"request_id": request_id, **fields}))
        return answer.get(timeout=WITHIN_S)

    def connected(self, executor: str) -> bool:
        return executor in self._live

    def _serve(self, connection: ServerConnection) -> None:
        assert connection.request is not None
        self.paths.append(connection.request.path)
        executor = ""
        with contextlib.suppress(ConnectionClosed):
            connection.send(json.dumps({"type": "executor_info", "request_id": "info"}))
            for text in connection:
                message = json.loads(text)
                if message["request_id"] == "info":
                    executor = message["executor_id"]
                    self.infos[executor] = message
                    self._live[executor] = connection
                else:
                    self._answers[message["request_id"]].put(message)
        if self._live.get(executor) is connection:
            del self._live[executor]


class Driver:
    """One worker process, by its standard input and output."""

    def __init__(self, worker: Worker, config: Config, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        settings = folder / f"{config.executor}.json"
        settings.write_bytes(encode(config))
        self.log = folder / f"{config.executor}.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                (*worker.command, str(settings)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                start_new_session=True,
            )  # fmt: skip
        self.alerts: list[Alert] = []
        self._answers: queue.Queue[Report | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def ready(self) -> Ready:
        report = self.answer()
        assert isinstance(report, Ready), report
        return report

    def ask(self, command: Command) -> Report:
        assert self.process.stdin is not None
        self.process.stdin.write(encode(command) + b"\n")
        self.process.stdin.flush()
        return self.answer()

    def answer(self) -> Report:
        report = self._answers.get(timeout=WITHIN_S)
        assert report is not None, f"the worker has ended:\n{self.log.read_text(errors='replace')[-3000:]}"
        return report

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            report = read_report(line)
            if isinstance(report, Alert):
                self.alerts.append(report)
            else:
                self._answers.put(report)
        self._answers.put(None)


class Rig:
    """A worker's surroundings: its system database, the harness's evidence and the relay."""

    def __init__(self, worker: Worker, url: Callable[[str], str], prefix: str, relay: Relay, folder: Path) -> None:
        self.worker = worker
        self.system, self.evidence = url(f"{prefix}_system"), url(f"{prefix}_evidence")
        self.relay = relay
        self.drivers: list[Driver] = []
        self._folder = folder
        self._numbers = itertools.count(1)

    def launch(self, **changes: Any) -> tuple[Driver, Ready]:
        """Launch one and wait until it is up and has told the relay who it is."""
        driver = self.driver(**changes)
        ready = driver.ready()
        until(lambda: self.relay.connected(ready.executor_id), f"{ready.executor_id} dials")
        return driver, ready

    def driver(self, **changes: Any) -> Driver:
        given: dict[str, Any] = {
            "relay_url": self.relay.url, "key": "secret-key", "application": "contract-app", "version": "v1",
            "system_database_url": self.system, "evidence_database": self.evidence,
            "executor": f"e{next(self._numbers)}", "queues": QUEUES,
        }  # fmt: skip
        driver = Driver(self.worker, Config(**given | changes), self._folder)
        self.drivers.append(driver)
        return driver

    def ended(self, workflow: str) -> tuple[Any, ...]:
        """Wait for the workflow's end; status, output, error and serialization as the SDK stored them."""
        statement = "SELECT status, output, error, serialization FROM dbos.workflow_status WHERE workflow_uuid = %s"
        if self.query("SELECT to_regclass('dbos.workflow_output')") != [(None,)]:  # from schema 123 on (Go 1.6.0)
            statement = (
                "SELECT status, coalesce(o.output, s.output), coalesce(o.error, s.error), serialization"
                " FROM dbos.workflow_status s LEFT JOIN dbos.workflow_output o USING (workflow_uuid)"
                " WHERE workflow_uuid = %s"
            )

        def look() -> Any:
            rows = self.query(statement, workflow)
            return rows[0] if rows and rows[0][0] in TERMINAL else None

        found: tuple[Any, ...] = until(look, f"{workflow} ends")
        return found

    def outcome(self, workflow: str) -> Outcome:
        """Wait for the workflow's end; how it ended, as the contract sees it."""
        status, output, error, serialization = self.ended(workflow)
        if status == "SUCCESS":
            assert serialization == "portable_json"
            return Outcome("SUCCESS", output=json.loads(output))
        return Outcome(status, error=json.loads(error)["message"] if status == "ERROR" else None)

    def steps(self, workflow: str) -> list[tuple[str, int, str, dict[str, Any]]]:
        """Step, attempt, phase and detail of the workflow's evidence, in order."""
        statement = "SELECT step, attempt, phase, detail FROM relayproof.step_runs WHERE workflow = %s ORDER BY seq"
        with psycopg.connect(self.evidence, autocommit=True) as connection:
            rows = connection.execute(statement, (workflow,)).fetchall()
        return [(step, attempt, phase, json.loads(detail)) for step, attempt, phase, detail in rows]

    def query(self, statement: Any, *values: Any) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.system, autocommit=True) as connection:
            return connection.execute(statement, values).fetchall()

    def close(self) -> None:
        for driver in self.drivers:
            driver.kill()
