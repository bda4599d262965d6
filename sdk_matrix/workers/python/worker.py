"""The Python worker: runs workloads that are data on the real SDK. Contract version 2 (docs/real-executors.md).

    python worker.py CONFIG.json
    python worker.py --template SOCKET

The second form loads the SDK once (2 s of processor time) and forks a worker for each connection on the Unix socket.

It imports the SDK and the standard library only, so that it also runs in an environment of its own with
another version of the SDK. It ends at once when its standard input ends: whoever launched it is gone.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import select
import signal
import socket
import sqlite3
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from dbos import DBOS, DBOSConfig, Queue, SetWorkflowID, WorkflowSerializationFormat

CONTRACT = 2
EX_CONFIG = 78  # sysexits.h: the configuration can't be used


class Evidence:
    """The step ledger: rows are only ever added, each durable against SIGKILL when `add` returns.

    It has a database, a connection and transactions of its own: what the SDK rolls back stays written here.
    """

    def __init__(self, path: str, label: str) -> None:
        self._label = label
        self._executor_id = ""
        self._lock = threading.Lock()
        self._runs: Counter[str] = Counter()
        self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
        self._database.execute("PRAGMA synchronous=OFF")  # survives the process; a crash of the host is not tested

    def run(self, workflow: str) -> int:
        """Number of this execution of the workflow within this process: 1, 2, ..."""
        with self._lock:
            self._executor_id = self._executor_id or DBOS.executor_id  # a shutdown resets it while steps still run
            self._runs[workflow] += 1
            return self._runs[workflow]

    def add(self, kind: str, workflow: str, run: int, step: str, attempt: int) -> None:
        row = (kind, workflow, run, step, attempt, self._label, self._executor_id, time.monotonic_ns())
        with self._lock:
            self._database.execute(
                "INSERT INTO step_log(kind, workflow, run, step, attempt, executor, executor_id, at_ns)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )


class Reports:
    """JSON lines to the launcher, on the descriptor that was standard output when the process began."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._out = os.fdopen(os.dup(1), "w", buffering=1)
        os.dup2(2, 1)  # whatever else prints goes to the log, not between the reports

    def send(self, event: str, **fields: Any) -> None:
        with self._lock:
            self._out.write(json.dumps({"event": event, **fields}) + "\n")


def read_config(path: Path) -> dict[str, Any]:
    config: dict[str, Any] = json.loads(path.read_text())
    if config.get("contract") != CONTRACT:
        sys.exit(f"{path}: contract {config.get('contract')!r} is asked for, this worker speaks {CONTRACT}")
    return config


def define(evidence: Evidence) -> Any:
    """Register the one workflow definition: it carries out a list of instructions, and returns a list of results."""

    def step_body(workflow: str, run: int, instruction: dict[str, Any]) -> dict[str, Any]:
        step, status = instruction["name"], DBOS.step_status
        attempt = (status.current_attempt or 0) + 1 if status is not None else 1
        evidence.add("begin", workflow, run, step, attempt)
        time.sleep(instruction.get("duration_s", 0))
        evidence.add("end", workflow, run, step, attempt)
        return {"step": step, "payload": "x" * instruction.get("payload_bytes", 0)}

    @DBOS.workflow(name="interpret", serialization_type=WorkflowSerializationFormat.PORTABLE)
    def interpret(instructions: list[dict[str, Any]]) -> list[Any]:
        workflow = DBOS.workflow_id
        assert workflow is not None, "a workflow body runs within a workflow"
        run = evidence.run(workflow)
        results: list[Any] = []
        for instruction in instructions:
            match instruction["op"]:
                case "step":
                    done = DBOS.run_step({"name": instruction["name"]}, step_body, workflow, run, instruction)
                    results.append([done["step"], len(done["payload"])])
                case "sleep":
                    DBOS.sleep(instruction["duration_s"])
                    results.append(None)
                case "child":
                    with SetWorkflowID(instruction["workflow"]):
                        child = DBOS.start_workflow(interpret, instruction["instructions"])
                    results.append(child.get_result())
                case other:
                    raise ValueError(f"workflow {workflow}: unknown instruction {other!r}: step, sleep or child")
        return results

    return interpret


def start(command: dict[str, Any], interpret: Any, queues: dict[str, Queue]) -> None:
    with SetWorkflowID(command["workflow"]):
        if (name := command.get("queue")) is not None:
            queues[name].enqueue(interpret, command["instructions"])
        else:
            DBOS.start_workflow(interpret, command["instructions"])


def serve(reports: Reports, interpret: Any, queues: dict[str, Queue]) -> None:
    """Carry out the launcher's commands until it says "stop"; its disappearance ends the process at once."""
    for line in sys.stdin:
        command = json.loads(line)
        if command["do"] == "stop":
            DBOS.destroy()
            reports.send("stopped")
            os._exit(0)  # steps that still run in threads die with their process: that is the polite exit's point
        try:
            start(command, interpret, queues)
        except Exception as problem:  # noqa: BLE001 - whatever the SDK raises is the launcher's to judge
            reports.send("refused", workflow=command["workflow"], error=f"{type(problem).__name__}: {problem}")
        else:
            reports.send("started", workflow=command["workflow"])
    os._exit(0)


def template(path: str) -> Path:
    """Serve as the template until standard input ends. Returns in each forked worker, with its configuration's path.

    The template stays without threads, for only such a process forks cleanly: it waits for both in one select.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the workers: their connections tell their ends
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{path}.new")
        server.listen(64)
        Path(f"{path}.new").rename(path)  # who sees the path can connect
        while True:
            ready, _, _ = select.select([server, sys.stdin.fileno()], [], [])
            if server not in ready:
                os._exit(0)
            connection, _ = server.accept()
            if os.fork() == 0:
                break
            connection.close()
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for descriptor in (0, 1):
        os.dup2(connection.fileno(), descriptor)
    connection.close()
    first: dict[str, str] = json.loads(sys.stdin.readline())
    log = os.open(first["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(log, 2)
    os.close(log)
    return Path(first["config"])


def main() -> None:
    path = template(sys.argv[2]) if sys.argv[1] == "--template" else Path(sys.argv[1])
    reports = Reports()
    config = read_config(path)
    DBOS(
        config=DBOSConfig(
            name=config["application"],
            application_version=config["version"],
            system_database_url=config["system_database_url"],
            conductor_url=config["relay_url"],
            conductor_key=config["key"],
            conductor_executor_metadata={"name": config["executor"]},
            log_level=config.get("log_level", "INFO"),
        )
    )
    interpret = define(Evidence(config["evidence_database"], config["executor"]))
    queues = {
        queue["name"]: Queue(
            queue["name"],
            worker_concurrency=queue.get("worker_concurrency"),
            polling_interval_sec=queue.get("polling_interval_s", 1.0),
        )
        for queue in config.get("queues", ())
    }
    DBOS.launch()
    reports.send(
        "ready",
        contract=CONTRACT,
        language="python",
        sdk_version=importlib.metadata.version("dbos"),
        executor_id=DBOS.executor_id,
        pid=os.getpid(),
    )
    serve(reports, interpret, queues)


if __name__ == "__main__":
    main()
