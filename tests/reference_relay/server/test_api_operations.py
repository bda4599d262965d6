"""Every operation that an executor serves: the exact message that it sends, and what becomes of the answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from conductor.sendable import violations
from reference_relay.server.api import app as application
from reference_relay.server.api.operation import OPERATIONS
from tests.reference_relay.answering import AT, SCHEDULE_ROW, WORKFLOW_ROW, answering
from tests.reference_relay.server.operation_cases import CASES, SPAN, Case
from tests.reference_relay.server.test_api import problem
from tests.reference_relay.support import Executor, RelayProcess, healthy


@pytest.fixture(scope="module")
def served(relay: RelayProcess) -> Iterator[tuple[Executor, httpx.Client, str]]:
    """One application with one executor that answers everything."""
    with relay.client() as client:
        assert client.put("/v2/orgs/acme/apps/served").status_code == 204
        executor = answering(relay, "served")
        healthy(client, "served", "e1")
        yield executor, client, "/v2/orgs/acme/apps/served"
        executor.close()


def send(client: httpx.Client, base: str, case: Case) -> httpx.Response:
    method = OPERATIONS[case.operation].method
    return client.request(method, f"{base}/{case.path}{case.query}", json=case.body)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.operation + case.query + ("+" if case.body else ""))
def test_message_and_answer(served: tuple[Executor, httpx.Client, str], case: Case) -> None:
    executor, client, base = served
    executor.requests.clear()
    answer = send(client, base, case)
    operation = OPERATIONS[case.operation]
    assert answer.status_code == operation.status, answer.text
    assert (answer.json() if answer.content else None) == case.answer
    assert bool(answer.content) == (operation.answer is not None)
    (frame,) = executor.seen(case.message)
    assert {name: value for name, value in frame.items() if name not in ("type", "request_id")} == case.fields
    assert not violations("text", json.dumps(frame).encode())
    assert {request["type"] for request in executor.requests} <= set(operation.sends)
    if operation.location:
        assert answer.headers["Location"].endswith(("/workflows/new%2F1", "/workflows/sched%2F1"))


def test_every_operation_that_asks_an_executor_has_a_case() -> None:
    assert application.MODULES
    asking = {name for name, operation in OPERATIONS.items() if operation.sends}
    autoscaling = {"set_autoscaling_policy", "get_autoscale", "get_autoscale_version"}
    assert asking - autoscaling == {case.operation for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.operation + case.query + ("+" if case.body else ""))
def test_without_an_executor_it_is_503(client: httpx.Client, app: str, case: Case) -> None:
    problem(send(client, f"/v2/orgs/acme/apps/{app}", case), 503)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.operation + case.query + ("+" if case.body else ""))
def test_an_executors_failure_is_502(served: tuple[Executor, httpx.Client, str], case: Case) -> None:
    """And no 404: the thing is there, as the executor says when it is asked for it."""
    executor, client, base = served
    usual = executor.answers.get(case.message)
    executor.answers[case.message] = lambda _: {"error_message": "boom", "success": False}
    try:
        answer = send(client, base, case)
    finally:
        executor.answers[case.message] = usual or executor._default
    assert "boom" in problem(answer, 502)["detail"]


@pytest.mark.parametrize(
    ("path", "method", "message", "look"),
    [
        ("workflows/x/fork", "POST", "fork_workflow", "get_workflow"),
        ("workflows/x/export", "GET", "export_workflow", "get_workflow"),
        ("workflows/x/resume", "POST", "resume", "get_workflow"),
        ("schedules/x/trigger", "POST", "trigger_schedule", "get_schedule"),
        ("schedules/x/pause", "POST", "pause_schedule", "get_schedule"),
        ("schedules/x/resume", "POST", "resume_schedule", "get_schedule"),
    ],
)
def test_what_does_not_exist_is_404(
    relay: RelayProcess, client: httpx.Client, app: str, path: str, method: str, message: str, look: str
) -> None:
    """Executors report it as any other failure: the relay looks for the thing to tell them apart."""
    executor = answering(relay, app)
    healthy(client, app, "e1")
    executor.answers[message] = lambda _: {"error_message": "not found", "success": False}
    executor.answers[look] = lambda _: {"output": None}
    problem(client.request(method, f"/v2/orgs/acme/apps/{app}/{path}"), 404)
    executor.close()


@pytest.mark.parametrize("path", ["workflows/x", "queues/x", "schedules/x"])
@pytest.mark.parametrize("answer", [{}, {"output": None}], ids=["absent", "null"])
def test_one_that_is_not_there_is_404(
    served: tuple[Executor, httpx.Client, str], path: str, answer: dict[str, Any]
) -> None:
    executor, client, base = served
    message = f"get_{path.split('s/')[0]}"
    usual = executor.answers[message]
    executor.answers[message] = lambda _: answer
    try:
        problem(client.get(f"{base}/{path}"), 404)
    finally:
        executor.answers[message] = usual


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("workflows/bulk-fork-from-failure", {"workflowIds": ["a"]}),
        ("workflows/bulk-fork-from-failure", {"workflowIds": ["a"], "fromStep": 1, "fromLastStep": True}),
        ("workflows/bulk-fork-from-failure", {"fromStep": 1}),
        ("workflows/w/fork", {"startStep": -1}),
        ("workflows/w/fork", {"startStep": 2**30}),
        ("workflows/aggregates", {"selectCount": True}),
        ("workflows/aggregates", {"groupByStatus": True, "timeBucketSizeMs": 0}),
        ("steps/aggregates", {}),
        ("workflows/bulk-cancel", {"workflowIds": None}),
        ("workflows/bulk-cancel", {"workflowIds": ["a"], "unknown": 1}),
        ("schedules/s/backfill", {"startTime": "2026-01-01T00:00:00", "endTime": "2026-01-02T00:00:00Z"}),
        ("workflows/import", {"serializedWorkflow": 1}),
        ("workflows/search", {"startTime": "0001-01-01T00:00:00+14:00"}),
        ("steps/aggregates", {"groupByFunctionName": True, "completedAfter": "9999-12-31T23:59:59-14:00"}),
        ("schedules/s/backfill", {"startTime": "0001-01-01T00:00:00+14:00", "endTime": "2026-01-02T00:00:00Z"}),
    ],
)
def test_invalid_bodies_are_422_and_nobody_is_asked(
    served: tuple[Executor, httpx.Client, str], path: str, body: dict[str, Any]
) -> None:
    executor, client, base = served
    executor.requests.clear()
    assert problem(client.post(f"{base}/{path}", json=body), 422)["errors"]
    assert not executor.requests


@pytest.mark.parametrize("name", ["bulk-cancel", "bulk-resume", "bulk-delete"])
def test_an_empty_list_asks_nobody(served: tuple[Executor, httpx.Client, str], name: str) -> None:
    executor, client, base = served
    executor.requests.clear()
    assert client.post(f"{base}/workflows/{name}", json={"workflowIds": []}).status_code == 204
    answer = client.post(f"{base}/workflows/bulk-fork-from-failure", json={"workflowIds": [], "fromLastStep": True})
    assert answer.json() == {"workflowIds": []}
    assert not executor.requests


def test_private_mode_asks_for_no_payload(relay: RelayProcess, client: httpx.Client, app: str) -> None:
    base = f"/v2/orgs/acme/apps/{app}"
    executor = answering(relay, app)
    healthy(client, app, "e1")
    assert client.patch(base, json={"privateMode": True}).status_code == 204
    for path in ("events", "notifications", "streams", "export"):
        problem(client.get(f"{base}/workflows/w/{path}"), 403)
    client.get(f"{base}/schedules?loadContext=true")
    client.get(f"{base}/schedules/nightly")
    assert [request["body"] for request in executor.seen("list_schedules")] == [{"load_context": False}]
    assert [request["load_context"] for request in executor.seen("get_schedule")] == [False]
    asked = {request["type"] for request in executor.requests}
    assert not asked & {
        "get_workflow_events", "get_workflow_notifications", "get_workflow_streams", "export_workflow"
    }  # fmt: skip
    executor.close()


@pytest.mark.parametrize(
    "row",
    [
        {**WORKFLOW_ROW, "Priority": str(2**31)},
        {**WORKFLOW_ROW, "Priority": "high"},
        {**WORKFLOW_ROW, "CreatedAt": str(2**62)},
        {**WORKFLOW_ROW, "WorkflowTimeoutMS": str(2**63)},
    ],
)
def test_rows_that_break_the_schema_are_502(served: tuple[Executor, httpx.Client, str], row: dict[str, Any]) -> None:
    executor, client, base = served
    usual = executor.answers["get_workflow"]
    executor.answers["get_workflow"] = lambda _: {"output": row}
    try:
        problem(client.get(f"{base}/workflows/w"), 502)
    finally:
        executor.answers["get_workflow"] = usual


def test_a_schedules_time_without_offset_is_utc(served: tuple[Executor, httpx.Client, str]) -> None:
    executor, client, base = served
    usual = executor.answers["get_schedule"]
    for text, shown in (("2023-11-14T22:13:20", AT), ("2023-11-15T00:13:20+02:00", AT), ("", None), (None, None)):
        executor.answers["get_schedule"] = lambda _, text=text: {"output": {**SCHEDULE_ROW, "last_fired_at": text}}  # type: ignore[misc]
        assert client.get(f"{base}/schedules/nightly").json()["lastFiredAt"] == shown
    for text in ("soon", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"):
        executor.answers["get_schedule"] = lambda _, text=text: {"output": {**SCHEDULE_ROW, "last_fired_at": text}}  # type: ignore[misc]
        problem(client.get(f"{base}/schedules/nightly"), 502)
    executor.answers["get_schedule"] = usual


def test_another_healthy_executor_answers_within_the_clients_time(
    relay: RelayProcess, client: httpx.Client, app: str
) -> None:
    """Two that stay silent cost a deadline each; the third answers well within 30 s."""
    executors = [answering(relay, app, f"e{n}") for n in range(3)]
    healthy(client, app, "e0", "e1", "e2")
    for silent in executors[:2]:
        silent.answers["list_queues"] = lambda _: None
    for _ in range(3):
        answer = client.get(f"/v2/orgs/acme/apps/{app}/queues")
        assert (answer.status_code, answer.elapsed.total_seconds() < 10) == (200, True)
    for executor in executors:
        executor.close()


def test_mutations_are_audited_with_what_they_concerned(
    served: tuple[Executor, httpx.Client, str],
) -> None:
    _, client, base = served
    client.post(f"{base}/workflows/bulk-cancel", json={"workflowIds": ["a", "b"]})
    client.post(f"{base}/workflows/w/fork")
    client.post(f"{base}/schedules/nightly/backfill", json=SPAN)

    page = client.get("/v2/orgs/acme/audit-logs?limit=50").json()
    found: dict[str, Any] = {entry["operation"]: entry for entry in reversed(page)}
    assert found["workflow.bulk_cancel"]["details"]["workflow_ids"] == ["a", "b"]
    assert found["workflow.fork"]["target"] == {"type": "workflow", "id": "w"}
    assert found["workflow.fork"]["details"]["new_workflow_id"] == "new/1"
    assert found["schedule.backfill"]["target"] == {"type": "schedule", "id": "nightly"}
