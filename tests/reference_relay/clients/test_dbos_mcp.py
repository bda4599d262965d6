"""The MIT-licensed dbos-mcp 0.8.0, unmodified but for its address, against the relay with a real executor behind it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.reference_relay.clients.every_call import APP, ORDER
from tests.reference_relay.clients.real import real_executor
from tests.reference_relay.support import ADMIN, ROOT, RelayProcess, relay_in

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(
        not importlib.util.find_spec("dbos") or not importlib.util.find_spec("dbos_mcp"),
        reason="needs dbos and dbos-mcp: pip install 'relayproof[real,clients]'",
    ),
]
HERE = Path(__file__).parent
NEED_A_LOGIN_PROVIDER = {"login", "login_complete"}


@pytest.fixture(scope="module")
def relay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RelayProcess]:
    with relay_in(tmp_path_factory.mktemp("relay")) as process:
        yield process


@pytest.fixture(scope="module")
def answers(relay: RelayProcess, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    home = tmp_path_factory.mktemp("home")
    with relay.client() as http, real_executor(relay, http, home):
        return every_call(relay, home)


def every_call(relay: RelayProcess, home: Path) -> dict[str, Any]:
    (home / ".dbos-mcp").mkdir()
    credentials = {"token": ADMIN, "organization": "acme", "userName": "ann"}
    (home / ".dbos-mcp" / "credentials").write_text(json.dumps(credentials))
    done = subprocess.run(
        [sys.executable, HERE / "every_call.py", f"http://127.0.0.1:{relay.port}/v2"],
        env={**os.environ, "HOME": str(home), "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_no_call_is_left_out(answers: dict[str, Any]) -> None:
    from dbos_mcp import client

    assert importlib.metadata.version("dbos-mcp") == "0.8.0"
    calls = {name for name, _ in inspect.getmembers(client, inspect.iscoroutinefunction) if not name.startswith("_")}
    assert calls - NEED_A_LOGIN_PROVIDER <= answers.keys()
    assert len(calls) == 25


def test_what_it_reads(answers: dict[str, Any]) -> None:
    (application,) = answers["list_applications"]
    assert (application["name"], application["status"], application["language"]) == (APP, "AVAILABLE", "python")
    assert {w["workflowId"]: w["status"] for w in answers["list_workflows"]} == {
        ORDER: "SUCCESS", "failing-1": "ERROR", "failing-2": "ERROR"
    }  # fmt: skip
    order = answers["get_workflow"]
    assert (order["workflowId"], order["workflowName"], order["output"]) == (ORDER, "order", "42")
    assert "pay" in [step["stepName"] for step in answers["list_steps"]]
    (executor,) = answers["list_executors"]
    assert (executor["appVersion"], executor["dbosVersion"]) == ("v1", importlib.metadata.version("dbos"))
    assert [event["key"] for event in answers["get_workflow_events"]] == ["state"]
    assert [notification["topic"] for notification in answers["get_workflow_notifications"]] == ["other"]
    counts = {row["group"]["status"]: row["count"] for row in answers["get_workflow_aggregates"]}
    assert (counts["SUCCESS"], counts["ERROR"]) == (1, 2)
    (schedule,) = answers["list_schedules"]
    assert (schedule["scheduleName"], schedule["cronExpression"]) == ("nightly", "0 0 1 1 *")
    assert answers["get_schedule"]["workflowName"] == "nightly"
    assert [version["versionName"] for version in answers["list_application_versions"]] == ["v1"]


def test_what_it_changes(answers: dict[str, Any]) -> None:
    for name in (
        "cancel_workflow", "bulk_cancel_workflows", "resume_workflow", "bulk_resume_workflows", "delete_workflow",
        "bulk_delete_workflows", "pause_schedule", "resume_schedule", "set_latest_application_version",
    ):  # fmt: skip
        assert answers[name] is None, name
    assert {w["workflowId"] for w in answers["cancelled"]} == {"waiting-1", "waiting-2"}
    assert {w["status"] for w in answers["resumed"]} <= {"ENQUEUED", "PENDING"}
    assert answers["fork_workflow"]["workflowId"]
    assert len(answers["fork_from_failure"]) == 1
    assert answers["trigger_schedule"]["workflowId"].startswith("sched-nightly-trigger")
    assert [schedule["scheduleName"] for schedule in answers["paused"]] == ["nightly"]
    assert [w["workflowId"] for w in answers["left"]] == [ORDER]
