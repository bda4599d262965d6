"""Workflow operations: what goes to the executor, and what becomes of its answer."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.reference_relay.server.test_api import problem
from tests.reference_relay.support import Executor, RelayProcess, healthy, version_row

PYTHON_ROW = {
    "WorkflowUUID": "w1", "Status": "ERROR", "WorkflowName": "order", "Input": "(1,)", "Error": "boom",
    "CreatedAt": "1700000000000", "UpdatedAt": "1700000000001", "Priority": "3", "WorkflowTimeoutMS": "5000",
    "WorkflowDeadlineEpochMS": "1700000005000", "QueueName": None, "ExecutorID": "e1", "WasForkedFrom": True,
    "AuthenticatedRoles": '["a"]', "ApplicationVersion": "v1", "NotKnownYet": {"x": 1},
}  # fmt: skip
WORKFLOW = {
    "appVersion", "applicationName", "assumedRole", "attributes", "completedAt", "createdAt", "deadline",
    "deduplicationId", "delayUntil", "dequeuedAt", "error", "executorId", "forkedFrom", "input", "output",
    "parentWorkflowId", "priority", "queueName", "queuePartitionKey", "roles", "scheduleName", "status", "timeoutMs",
    "updatedAt", "user", "wasForkedFrom", "workflowClass", "workflowConfig", "workflowId", "workflowName",
}  # fmt: skip


@pytest.fixture
def executor(relay: RelayProcess, app: str, client: httpx.Client) -> Iterator[Executor]:
    connected = Executor(relay, app, "e1")
    healthy(client, app, "e1")
    yield connected
    connected.close()


@pytest.fixture
def path(app: str) -> str:
    return f"/v2/orgs/acme/apps/{app}/workflows"


def body_of(executor: Executor, type_: str) -> dict[str, Any]:
    (request,) = executor.seen(type_)
    return {name: value for name, value in request.items() if name not in ("type", "request_id")}


def test_a_search_translates_every_filter(executor: Executor, client: httpx.Client, path: str) -> None:
    executor.answers["list_workflows"] = lambda _: {"output": [PYTHON_ROW, {"WorkflowUUID": "w2", "Status": "PENDING"}]}
    body = {
        "workflowIds": ["a/b"], "workflowIdPrefix": ["a"], "workflowName": ["order"], "status": ["ERROR", "PENDING"],
        "user": ["u"], "appVersion": ["v1"], "executorId": ["e1"], "queueName": ["q"], "scheduleName": [],
        "forkedFrom": None, "parentWorkflowId": ["p"], "wasForkedFrom": False, "hasParent": True, "queuesOnly": False,
        "attributes": {"k": "v"}, "startTime": "2023-11-14T22:13:20Z", "endTime": "2023-11-15T00:13:20.5+02:00",
        "limit": 10, "offset": 0, "sortDesc": True, "loadInput": True,
    }  # fmt: skip
    answer = client.post(f"{path}/search", json=body)
    assert answer.status_code == 200, answer.text
    assert body_of(executor, "list_workflows") == {
        "body": {
            "workflow_uuids": ["a/b"], "workflow_id_prefix": ["a"], "workflow_name": ["order"],
            "status": ["ERROR", "PENDING"], "authenticated_user": ["u"], "application_version": ["v1"],
            "executor_id": ["e1"], "queue_name": ["q"], "parent_workflow_id": ["p"], "was_forked_from": False,
            "has_parent": True, "queues_only": False, "attributes": {"k": "v"},
            "start_time": "2023-11-14T22:13:20.000+00:00", "end_time": "2023-11-14T22:13:20.500+00:00",
            "limit": 10, "offset": 0, "sort_desc": True, "load_input": True, "load_output": False,
        }
    }  # fmt: skip
    first, second = answer.json()
    assert set(first) == set(second) == WORKFLOW
    assert (first["priority"], first["timeoutMs"], first["wasForkedFrom"]) == (3, 5000, True)
    assert (first["createdAt"], first["deadline"]) == ("2023-11-14T22:13:20.000Z", "2023-11-14T22:13:25.000Z")
    assert (first["error"], first["roles"], first["queueName"]) == ("boom", '["a"]', None)
    assert (second["priority"], second["wasForkedFrom"], second["timeoutMs"]) == (0, False, None)


def test_a_list_takes_its_filters_from_the_query(executor: Executor, client: httpx.Client, path: str) -> None:
    executor.answers["list_workflows"] = lambda _: {"output": []}
    query = "status=PENDING&workflowName=order&limit=5&sortDesc=true&loadOutput=true&unheardOf=1"
    assert client.get(f"{path}?{query}").json() == []
    assert body_of(executor, "list_workflows") == {
        "body": {
            "status": "PENDING", "workflow_name": "order", "limit": 5, "sort_desc": True, "load_input": False,
            "load_output": True,
        }
    }  # fmt: skip


@pytest.mark.parametrize("limit", [2**63, -(2**63) - 1, 1.5, "x", True])
def test_limits_are_64_bit_integers(client: httpx.Client, path: str, limit: object) -> None:
    problem(client.post(f"{path}/search", json={"limit": limit}), 422)


@pytest.mark.parametrize("workflow_id", ["a/b", "a?b#c", "ключ ✓", "a%2Fb", "..", "v2", "healthz"])
def test_ids_pass_through_percent_encoded(
    executor: Executor, client: httpx.Client, path: str, workflow_id: str
) -> None:
    executor.answers["get_workflow"] = lambda request: {"output": PYTHON_ROW | {"WorkflowUUID": request["workflow_id"]}}
    encoded = "".join(f"%{byte:02X}" for byte in workflow_id.encode())
    answer = client.get(f"{path}/{encoded}")
    assert answer.status_code == 200, answer.text
    assert answer.json()["workflowId"] == workflow_id
    wanted = {"workflow_id": workflow_id, "load_input": True, "load_output": True}
    assert body_of(executor, "get_workflow") == wanted


def test_no_output_is_no_such_workflow(executor: Executor, client: httpx.Client, path: str) -> None:
    for output in ({}, {"output": None}):
        executor.answers["get_workflow"] = lambda _, output=output: output  # type: ignore[misc]
        problem(client.get(f"{path}/w"), 404)


def test_private_mode_asks_for_no_contents(executor: Executor, client: httpx.Client, path: str, app: str) -> None:
    client.patch(f"/v2/orgs/acme/apps/{app}", json={"privateMode": True})
    client.post(f"{path}/search", json={"loadInput": True, "loadOutput": True})
    client.get(f"{path}/w")
    client.get(f"{path}/w/steps")
    assert body_of(executor, "list_workflows")["body"] == {"load_input": False, "load_output": False}
    assert body_of(executor, "get_workflow") == {"workflow_id": "w", "load_input": False, "load_output": False}
    assert body_of(executor, "list_steps") == {"workflow_id": "w", "load_output": False}


def test_steps(executor: Executor, client: httpx.Client, path: str) -> None:
    row = {"function_id": 1, "function_name": "pay", "output": "1", "started_at_epoch_ms": "1700000000000"}
    executor.answers["list_steps"] = lambda _: {"output": [row]}
    assert client.get(f"{path}/w/steps?limit=1&offset=0").json() == [
        {
            "stepId": 1, "stepName": "pay", "output": "1", "error": None, "childWorkflowId": None,
            "startedAt": "2023-11-14T22:13:20.000Z", "completedAt": None,
        }
    ]  # fmt: skip
    assert body_of(executor, "list_steps") == {"workflow_id": "w", "load_output": True, "limit": 1, "offset": 0}
    for output in ({}, {"output": None}):
        executor.answers["list_steps"] = lambda _, output=output: output  # type: ignore[misc]
        assert client.get(f"{path}/w/steps").json() == []


def test_cancel(executor: Executor, client: httpx.Client, path: str) -> None:
    assert client.post(f"{path}/a%2Fb/cancel", json={"cancelChildren": True}).status_code == 204
    assert body_of(executor, "cancel") == {"workflow_id": "a/b", "cancel_children": True}
    assert client.post(f"{path}/w/cancel").status_code == 204
    (entry, *_) = client.get("/v2/orgs/acme/audit-logs?operation=workflow.cancel").json()
    assert (entry["status"], entry["target"]) == ("success", {"type": "workflow", "id": "w"})


def test_resume_goes_to_the_latest_version_only(
    relay: RelayProcess, executor: Executor, client: httpx.Client, path: str, app: str
) -> None:
    newer = Executor(relay, app, "e2", version="v2")
    healthy(client, app, "e2")
    versions = {"output": [version_row("v2", 9), version_row("v1", 5)]}
    for one in (executor, newer):
        one.answers["list_application_versions"] = lambda _: versions
    for _ in range(4):
        assert client.post(f"{path}/w/resume", json={"queueName": "q"}).status_code == 204
    assert not executor.seen("resume")
    assert len(newer.seen("resume")) == 4
    assert newer.seen("resume")[0]["queue_name"] == "q"
    newer.close()
    healthy(client, app, "e1")
    problem(client.post(f"{path}/w/resume"), 503)


@pytest.mark.parametrize(
    "answer",
    [
        {"success": False},
        {"success": True, "error_message": "no"},
        {},
        {"success": "yes"},
        {"success": True, "type": "resume"},
    ],
)
def test_a_failure_is_never_a_success(
    executor: Executor, client: httpx.Client, path: str, answer: dict[str, object]
) -> None:
    executor.answers["cancel"] = lambda _: answer
    problem(client.post(f"{path}/w/cancel"), 502)
    (entry, *_) = client.get("/v2/orgs/acme/audit-logs?operation=workflow.cancel").json()
    assert entry["status"] == "failure"


@pytest.mark.parametrize(
    "output",
    [
        5,
        [{"WorkflowUUID": 5}],
        [{"Status": "x"}],
        [PYTHON_ROW | {"CreatedAt": "soon"}],
        [PYTHON_ROW | {"CreatedAt": "9" * 40}],
    ],
)
def test_nonsense_of_an_executor_is_a_bad_gateway(
    executor: Executor, client: httpx.Client, path: str, output: object
) -> None:
    executor.answers["list_workflows"] = lambda _: {"output": output}
    problem(client.get(path), 502)


def test_without_an_executor(client: httpx.Client, path: str) -> None:
    for answer in (
        client.get(path),
        client.post(f"{path}/search"),
        client.get(f"{path}/w"),
        client.get(f"{path}/w/steps"),
        client.post(f"{path}/w/cancel"),
        client.post(f"{path}/w/resume"),
    ):
        problem(answer, 503)


def test_another_executor_answers_for_one_that_leaves_or_stays_silent(
    relay: RelayProcess, executor: Executor, client: httpx.Client, path: str, app: str
) -> None:
    second = Executor(relay, app, "e2")
    healthy(client, app, "e2")
    second.answers["list_workflows"] = lambda _: {"output": [PYTHON_ROW]}
    executor.answers["list_workflows"] = lambda _: None
    for _ in range(2):  # whichever is asked first
        assert client.get(path).status_code == 200
    second.answers["list_workflows"] = lambda _: None
    problem(client.get(path), 502)
    second.close()


def test_concurrent_calls_get_their_own_answers(executor: Executor, client: httpx.Client, path: str) -> None:
    gathered: list[dict[str, Any]] = []
    every = threading.Event()

    def late(request: dict[str, Any]) -> None:
        gathered.append(request)
        if len(gathered) == 8:
            every.set()

    executor.answers["get_workflow"] = late
    with ThreadPoolExecutor(8) as pool:
        calls = {n: pool.submit(client.get, f"{path}/w{n}") for n in range(8)}
        assert every.wait(5)
        for request in reversed(gathered):
            row = PYTHON_ROW | {"WorkflowUUID": request["workflow_id"]}
            reply = {"type": request["type"], "request_id": request["request_id"], "output": row}
            executor.socket.send(json.dumps(reply))
        answers = {n: call.result(10) for n, call in calls.items()}
    assert {n: answer.json()["workflowId"] for n, answer in answers.items()} == {n: f"w{n}" for n in range(8)}


def test_a_caller_that_leaves_holds_nothing_up(executor: Executor, client: httpx.Client, path: str) -> None:
    executor.answers["get_workflow"] = lambda _: None
    with pytest.raises(httpx.ReadTimeout):
        client.get(f"{path}/w", timeout=0.1)
    executor.answers["get_workflow"] = lambda _: {"output": PYTHON_ROW}
    began_s = time.monotonic()
    assert client.get(f"{path}/w").status_code == 200
    assert time.monotonic() - began_s < 1
