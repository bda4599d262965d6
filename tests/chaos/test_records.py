"""The status log's triggers and the ledger, on tables like the SDK's."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from chaos.records import Ledger, StatusLog

TABLES = """
CREATE TABLE workflow_status (workflow_uuid TEXT PRIMARY KEY, status TEXT, executor_id TEXT, recovery_attempts INTEGER,
    output TEXT, error TEXT, queue_name TEXT, updated_at INTEGER);
CREATE TABLE operation_outputs (workflow_uuid TEXT, function_id INTEGER, function_name TEXT, output TEXT,
    PRIMARY KEY (workflow_uuid, function_id));
"""


@pytest.fixture
def system(tmp_path: Path) -> Path:
    path = tmp_path / "system.sqlite"
    database = sqlite3.connect(path)
    database.executescript(TABLES)
    database.close()
    return path


def test_every_change_and_checkpoint_is_logged_in_order(system: Path) -> None:
    log = StatusLog(system)
    with sqlite3.connect(system) as sdk:
        sdk.execute("INSERT INTO workflow_status VALUES ('w', 'PENDING', 'e1', 1, NULL, NULL, NULL, 0)")
        sdk.execute("INSERT INTO operation_outputs VALUES ('w', 1, 'step-1', '{}')")
        sdk.execute("UPDATE workflow_status SET status = 'ENQUEUED', queue_name = 'q'")
        sdk.execute("UPDATE workflow_status SET updated_at = 1")
        sdk.execute("UPDATE workflow_status SET status = 'PENDING', executor_id = 'e2', recovery_attempts = 2")
        sdk.execute("UPDATE workflow_status SET status = 'SUCCESS', output = '[1]'")
        sdk.execute("UPDATE workflow_status SET output = '[2]'")
    assert log.statuses() == {"w": "SUCCESS"}
    with sqlite3.connect(system) as sdk:
        sdk.execute("DELETE FROM workflow_status")
    rows = log.rows()
    assert [row["kind"] for row in rows] == [
        "insert", "checkpoint", "update", "update", "update", "update", "delete",
    ]  # fmt: skip
    assert [row["seq"] for row in rows] == list(range(1, 8))
    inserted, checkpoint, requeued, claimed, ended, rewritten, deleted = rows
    assert (inserted["new_status"], inserted["new_executor"], inserted["attempts"]) == ("PENDING", "e1", 1)
    assert "old_status" not in inserted and inserted["outcome_changed"] == 0
    assert (checkpoint["workflow"], checkpoint["step"], checkpoint["function_id"]) == ("w", "step-1", 1)
    assert (requeued["old_status"], requeued["new_status"], requeued["queue"]) == ("PENDING", "ENQUEUED", "q")
    assert (claimed["old_executor"], claimed["new_executor"], claimed["attempts"]) == ("e1", "e2", 2)
    assert (ended["new_status"], ended["output"], ended["outcome_changed"]) == ("SUCCESS", "[1]", 1)
    assert (rewritten["old_status"], rewritten["new_status"], rewritten["outcome_changed"]) == ("SUCCESS", "SUCCESS", 1)
    assert (deleted["old_status"], deleted["old_executor"]) == ("SUCCESS", "e2")
    assert log.statuses() == {}
    assert [row["seq"] for row in log.rows(after=6)] == [7]


def test_a_second_write_of_a_checkpoint_is_not_one(system: Path) -> None:
    log = StatusLog(system)
    with sqlite3.connect(system) as sdk:
        for _ in range(2):
            sdk.execute(
                "INSERT INTO operation_outputs VALUES ('w', 1, 'step-1', '{}')"
                " ON CONFLICT (workflow_uuid, function_id) DO UPDATE SET output = output"
            )
    assert len(log.rows()) == 1


def test_what_is_rolled_back_was_no_change(system: Path) -> None:
    log = StatusLog(system)
    sdk = sqlite3.connect(system)
    sdk.execute("INSERT INTO workflow_status VALUES ('w', 'PENDING', 'e1', 1, NULL, NULL, NULL, 0)")
    sdk.rollback()
    assert log.rows() == []


def test_executions_are_joined_from_their_begin_and_end(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    with sqlite3.connect(ledger.path) as worker:
        for kind, run, executor, at_ns in (("begin", 1, "e1", 10), ("begin", 1, "e2", 11), ("end", 1, "e2", 12)):
            worker.execute(
                "INSERT INTO step_log(kind, workflow, run, step, attempt, executor, executor_id, at_ns)"
                " VALUES (?, 'w', ?, 'a', 1, ?, 'id', ?)",
                (kind, run, executor, at_ns),
            )
    first, second = ledger.executions()
    assert (first["seq"], first["begin_ns"], first["executor"]) == (1, 10, "e1") and "end_seq" not in first
    assert (second["seq"], second["end_seq"], second["end_ns"]) == (2, 3, 12)
    assert ledger.begun("e1") == {"w": 1}
    assert ledger.begun("e9") == {}
