"""The Python worker: runs workloads that are data on the real SDK. Contract version 2 (docs/real-executors.md).

    python worker.py CONFIG.json
    python worker.py --template SOCKET

The second form loads the SDK once (2 s of processor time) and forks a worker for each connection on the Unix socket.

It imports the SDK, its PostgreSQL driver and the standard library only, so that it also runs in an environment of its
own with another version of the SDK. It ends at once when its standard input ends: whoever launched it is gone.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import select
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import Any, NoReturn, cast

# Behind the SDK's own environment: were there another SDK beside this project, it would be shadowed otherwise.
sys.path[0:1] = []
sys.path.append(str(Path(__file__).resolve().parents[3]))

from dbos import DBOS, DBOSConfig  # noqa: E402

from sdk_matrix.workers.python import commands  # noqa: E402
from sdk_matrix.workers.python.interpret import Definitions, PlannedFailure, define  # noqa: E402
from sdk_matrix.workers.python.ledger import Evidence  # noqa: E402

CONTRACT = 2
METADATA_ONLY = "conductor_metadata_only_mode"
EX_CONFIG = 78  # sysexits.h: the configuration can't be used


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
        print(
            f"{path}: contract {config.get('contract')!r} is asked for, this worker speaks {CONTRACT}", file=sys.stderr
        )
        sys.exit(EX_CONFIG)
    return config


def register_alert_handler(reports: Reports, kind: str) -> None:
    if kind == "none":
        return

    @DBOS.alert_handler
    def handle(name: str, message: str, metadata: dict[str, str]) -> None:
        reports.send("alert", name=name, message=message, metadata=metadata)
        if kind == "fails":
            raise PlannedFailure("planned failure of the alert handler")


def stop(reports: Reports, command: dict[str, Any]) -> int:
    """The exit code. Without its database an SDK may fail to shut down."""
    try:
        commands.stop(command)
    except Exception as problem:  # noqa: BLE001 - whatever the SDK raises is the launcher's to judge
        reports.send("refused", do="stop", workflow="", error=f"{type(problem).__name__}: {problem}")
        return 1
    reports.send("stopped")
    return 0


def serve(reports: Reports, definitions: Definitions) -> NoReturn:
    """Carry out the launcher's commands until it says "stop"; its disappearance ends the process at once."""
    for line in sys.stdin:
        command = json.loads(line)
        do = command["do"]
        if do == "stop":
            os._exit(stop(reports, command))  # steps that still run in threads end here: the polite exit's point
        subject = command.get(commands.SUBJECTS.get(do, "workflow"), "")
        if do not in commands.COMMANDS:
            reports.send("unsupported", do=do, subject=subject, what=f"command {do}", reason="this worker has no such")
            continue
        try:
            subject = commands.COMMANDS[do](command, definitions)
        except Exception as problem:  # noqa: BLE001 - whatever the SDK raises is the launcher's to judge
            reports.send("refused", do=do, workflow=subject, error=f"{type(problem).__name__}: {problem}")
        else:
            if do == "start":
                reports.send("started", workflow=subject)
            else:
                reports.send("done", do=do, subject=subject)
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


def main() -> NoReturn:
    path = template(sys.argv[2]) if sys.argv[1] == "--template" else Path(sys.argv[1])
    reports = Reports()
    config = read_config(path)
    settings = DBOSConfig(
        name=config["application"],
        application_version=config["version"],
        system_database_url=config["system_database_url"],
        conductor_url=config["relay_url"],
        conductor_key=config["key"],
        conductor_executor_metadata={"name": config["executor"]},
        scheduler_polling_interval_sec=1.0,  # of the schedules table; 30 s unless told otherwise
        log_level=config.get("log_level", "WARNING"),
    )
    unsupported = {}
    if METADATA_ONLY not in DBOSConfig.__annotations__:
        unsupported["config metadata_only"] = f"this version of the SDK has no {METADATA_ONLY}"
    elif config.get("metadata_only"):
        cast(dict[str, Any], settings)[METADATA_ONLY] = True
    DBOS(config=settings)
    evidence = Evidence(config["evidence_database"], config["executor"])
    definitions = define(evidence)
    register_alert_handler(reports, config.get("alert_handler", "none"))
    DBOS.launch()
    for queue in config.get("queues", ()):
        DBOS.register_queue(
            queue["name"],
            worker_concurrency=queue.get("worker_concurrency"),
            global_concurrency=queue.get("concurrency"),
            polling_interval_sec=queue.get("polling_interval_s", 1.0),
        )
    reports.send(
        "ready",
        contract=CONTRACT,
        language="python",
        sdk_version=importlib.metadata.version("dbos"),
        executor_id=DBOS.executor_id,
        pid=os.getpid(),
        unsupported=unsupported,
    )
    serve(reports, definitions)


if __name__ == "__main__":
    main()
