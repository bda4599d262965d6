"""The two records of a real run: the step ledger, written by the workers, and the status log, written by a trigger.

The ledger is a SQLite file of the harness, apart from the SDK's tables: what an SDK rolls back or deletes stays in it.
"""

from __future__ import annotations

import sqlite3
import time
from importlib.resources import files
from pathlib import Path
from typing import Any

__all__ = ["Ledger", "StatusLog"]

_BUSY_S = 30.0
_LEDGER = """
CREATE TABLE step_log (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,  -- the order of all executions over all workers
    kind TEXT NOT NULL,                     -- begin, end
    workflow TEXT NOT NULL,
    run INTEGER NOT NULL,                   -- the how-manieth execution of this workflow in this process: 1, 2, ...
    step TEXT NOT NULL,
    attempt INTEGER NOT NULL,               -- the SDK's own retry of the step: 1, 2, ...
    executor TEXT NOT NULL,                 -- label
    executor_id TEXT NOT NULL,              -- id that the SDK made
    at_ns INTEGER NOT NULL                  -- monotonic clock of the host
)
"""


class Ledger:
    """The step ledger. Workers append with connections of their own; reading never blocks them (WAL)."""

    def __init__(self, path: Path) -> None:
        """Create it. The file must not exist yet."""
        self.path = path
        self.wall_offset_ns = time.time_ns() - time.monotonic_ns()  # from its clock to that of the status log
        self._database = sqlite3.connect(path, isolation_level=None, timeout=_BUSY_S)
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.execute(_LEDGER)

    def begun(self, executor: str) -> dict[str, int]:
        """Workflow -> how many step executions the executor with this label has begun."""
        return dict(
            self._database.execute(
                "SELECT workflow, count(*) FROM step_log WHERE kind = 'begin' AND executor = ? GROUP BY workflow",
                (executor,),
            )
        )

    def reached(self, executor: str, step: str, phase: str) -> int:
        """How often this executor has written this kind of row ("begin", "end") for a step of this name."""
        found = self._database.execute(
            "SELECT count(*) FROM step_log WHERE executor = ? AND step = ? AND kind = ?", (executor, step, phase)
        ).fetchone()
        return int(found[0])

    def executions(self) -> list[dict[str, Any]]:
        """One row a step execution, in order of beginning; ``end_seq`` and ``end_ns`` are absent if it never ended."""
        rows: list[dict[str, Any]] = []
        open_: dict[tuple[Any, ...], dict[str, Any]] = {}
        names = ("workflow", "run", "step", "attempt", "executor", "executor_id")
        for seq, kind, at_ns, *about in self._database.execute(
            f"SELECT seq, kind, at_ns, {', '.join(names)} FROM step_log ORDER BY seq"
        ):
            key = tuple(about)
            if kind == "begin":
                open_[key] = {"seq": seq, **dict(zip(names, about, strict=True)), "begin_ns": at_ns}
                rows.append(open_[key])
            else:
                open_.pop(key).update(end_seq=seq, end_ns=at_ns)
        return rows

    def close(self) -> None:
        self._database.close()


class StatusLog:
    """The log that the triggers write inside the SDK's own SQLite file."""

    def __init__(self, path: Path) -> None:
        """Install the triggers in an existing system database, before any workflow starts."""
        self._database = sqlite3.connect(path, isolation_level=None, timeout=_BUSY_S, check_same_thread=False)
        triggers = files("chaos").joinpath("status_log.sql").read_text()
        self._database.executescript(f"BEGIN IMMEDIATE;{triggers}COMMIT;")
        self._database.row_factory = sqlite3.Row

    def rows(self, after: int = 0) -> list[dict[str, Any]]:
        """Changes since the one with this ``seq``, oldest first, without their empty columns."""
        found = self._database.execute("SELECT * FROM relayproof_log WHERE seq > ? ORDER BY seq", (after,)).fetchall()
        return [{name: row[name] for name in row.keys() if row[name] is not None} for row in found]  # noqa: SIM118

    def statuses(self) -> dict[str, str]:
        """Workflow -> its status by the newest change; a deleted one is left out."""
        return dict(
            self._database.execute(
                "SELECT workflow, new_status FROM relayproof_log WHERE seq IN"
                " (SELECT max(seq) FROM relayproof_log WHERE kind <> 'checkpoint' GROUP BY workflow)"
                " AND new_status IS NOT NULL"
            ).fetchall()
        )

    def in_hand(self, executor: str) -> int:
        """How many workflows are PENDING under this executor id, by their newest change."""
        found = self._database.execute(
            "SELECT count(*) FROM relayproof_log WHERE seq IN"
            " (SELECT max(seq) FROM relayproof_log WHERE kind <> 'checkpoint' GROUP BY workflow)"
            " AND new_status = 'PENDING' AND new_executor = ?",
            (executor,),
        ).fetchone()
        return int(found[0])

    def close(self) -> None:
        self._database.close()
