"""The step ledger: rows are only ever added, each durable against SIGKILL when `add` returns.

It has a database, a connection and transactions of its own: what the SDK rolls back stays written here.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections import Counter
from typing import Any, Protocol

_RETRY_S = 0.2


class Evidence:
    """Numbers the executions of this process and writes them down."""

    def __init__(self, database: str, label: str) -> None:
        self._store: _Store = _Postgres(database) if "://" in database else _Sqlite(database)
        self._label = label
        self._lock = threading.Lock()
        self._runs: Counter[str] = Counter()
        self._attempts: Counter[tuple[str, str]] = Counter()
        self.executor_id = ""

    def run(self, workflow: str) -> int:
        """Number of this execution of the workflow within this process: 1, 2, ..."""
        with self._lock:
            self._runs[workflow] += 1
            return self._runs[workflow]

    def attempt(self, workflow: str, step: str) -> int:
        """Number of this execution of the step within this process: 1, 2, ..."""
        with self._lock:
            self._attempts[workflow, step] += 1
            return self._attempts[workflow, step]

    def add(self, phase: str, workflow: str, step: str, attempt: int, *, run: int, retry: int, **more: Any) -> None:
        """Returns when the row is written, however long that takes."""
        about = {"run": run, "retry": retry, "executor_id": self.executor_id, "at_ns": time.monotonic_ns(), **more}
        with self._lock:
            self._store.add(phase, workflow, step, attempt, self._label, about)


class _Store(Protocol):
    def add(self, phase: str, workflow: str, step: str, attempt: int, label: str, about: dict[str, Any]) -> None: ...


class _Sqlite:
    def __init__(self, path: str) -> None:
        self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
        self._database.execute("PRAGMA synchronous=OFF")  # survives the process; a crash of the host is not tested

    def add(self, phase: str, workflow: str, step: str, attempt: int, label: str, about: dict[str, Any]) -> None:
        row = (phase, workflow, about["run"], step, about["retry"], label, about["executor_id"], about["at_ns"])
        self._database.execute(
            "INSERT INTO step_log(kind, workflow, run, step, attempt, executor, executor_id, at_ns)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            row,
        )


class _Postgres:
    def __init__(self, url: str) -> None:
        import psycopg  # the SDK depends on it; a worker on SQLite does without

        self._psycopg = psycopg
        self._url = url
        self._connection: psycopg.Connection[Any] | None = self._connect()

    def add(self, phase: str, workflow: str, step: str, attempt: int, label: str, about: dict[str, Any]) -> None:
        row = (workflow, step, attempt, label, phase, json.dumps(about))
        while True:
            try:
                if self._connection is None:
                    self._connection = self._connect()
                self._connection.execute(
                    "INSERT INTO relayproof.step_runs(workflow, step, attempt, executor, phase, detail)"
                    " VALUES (%s, %s, %s, %s, %s, %s)",
                    row,
                )
                return
            except (self._psycopg.OperationalError, self._psycopg.InterfaceError):
                self._connection = None  # the database is away: a step without evidence must not go on
                time.sleep(_RETRY_S)

    def _connect(self) -> Any:
        return self._psycopg.connect(
            self._url,
            autocommit=True,
            connect_timeout=5,
            tcp_user_timeout=10_000,
            application_name="relayproof-evidence",
        )
