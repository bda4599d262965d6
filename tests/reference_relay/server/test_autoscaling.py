"""Autoscaling: policies, and what they say of a queue's depth."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from reference_relay.server.api.autoscaling import desired
from tests.reference_relay.answering import QUEUE_ROW, answering
from tests.reference_relay.server.test_api import problem
from tests.reference_relay.support import Executor, RelayProcess, healthy, relay_in, version_row


@pytest.fixture
def executor(relay: RelayProcess, app: str, client: httpx.Client) -> Iterator[Executor]:
    connected = answering(relay, app)
    healthy(client, app, "e1")
    yield connected
    connected.close()


@pytest.fixture
def path(app: str) -> str:
    return f"/v2/orgs/acme/apps/{app}"


def depths(executor: Executor, **by_version: int) -> None:
    """Let the executor have so many workflows by version; versions are newest first."""
    rows = [{"group": {"application_version": name}, "count": count} for name, count in by_version.items()]
    executor.answers["get_workflow_aggregates"] = lambda _: {"output": rows}
    versions = [version_row(name, 100 - at) for at, name in enumerate(by_version)]
    executor.answers["list_application_versions"] = lambda _: {"output": versions}


@pytest.mark.parametrize(
    ("depth", "worker_concurrency", "concurrency", "executors"),
    [(0, 4, None, 0), (1, 4, None, 1), (8, 4, None, 2), (9, 4, None, 3), (99, 4, 10, 3), (99, 4, 8, 2)],
)
def test_the_formula(depth: int, worker_concurrency: int, concurrency: int | None, executors: int) -> None:
    assert desired(depth, worker_concurrency, concurrency) == executors


def test_a_policy_is_set_read_and_deleted(executor: Executor, client: httpx.Client, path: str) -> None:
    problem(client.get(f"{path}/autoscaling-policy"), 404)
    for policy in ({"queue": "jobs"}, {"queue": "jobs", "rollout": {"maxOldApplicationVersions": 1}}):
        answer = client.put(f"{path}/autoscaling-policy", json=policy)
        assert (answer.status_code, answer.json()) == (200, {"policy": policy})
        assert client.get(f"{path}/autoscaling-policy").json() == {"policy": policy}
    for _ in range(2):
        assert client.delete(f"{path}/autoscaling-policy").status_code == 204
    problem(client.get(f"{path}/autoscaling-policy"), 404)
    assert [request["name"] for request in executor.seen("get_queue")] == ["jobs", "jobs"]


@pytest.mark.parametrize("row", [None, {**QUEUE_ROW, "worker_concurrency": None}])
def test_a_queue_that_can_carry_no_policy(
    executor: Executor, client: httpx.Client, path: str, row: dict[str, Any] | None
) -> None:
    executor.answers["get_queue"] = lambda _: {"output": row}
    problem(client.put(f"{path}/autoscaling-policy", json={"queue": "jobs"}), 400)
    problem(client.get(f"{path}/autoscaling-policy"), 404)


def test_every_version_that_still_has_work(executor: Executor, client: httpx.Client, path: str) -> None:
    rollout = {"maxOldApplicationVersions": 2, "maxExecutorsForOldApplicationVersions": 1}
    problem(client.get(f"{path}/autoscale"), 404)
    client.put(f"{path}/autoscaling-policy", json={"queue": "jobs", "rollout": rollout})
    depths(executor, v5=0, v4=9, v3=0, v2=1, v1=1)
    found = client.get(f"{path}/autoscale").json()
    assert [(v["applicationVersion"], v["isLatest"], v["queueDepth"], v["desiredExecutors"]) for v in found] == [
        ("v5", True, 0, 1), ("v4", False, 9, 1), ("v2", False, 1, 1)
    ]  # fmt: skip
    assert {v["queueName"] for v in found} == {"jobs"}
    (request, *_) = executor.seen("get_workflow_aggregates")
    assert request["body"] == {
        "group_by_application_version": True, "select_count": True, "status": ["ENQUEUED", "PENDING"],
        "queue_name": ["jobs"],
    }  # fmt: skip


def test_one_version(executor: Executor, client: httpx.Client, path: str) -> None:
    client.put(f"{path}/autoscaling-policy", json={"queue": "jobs"})
    depths(executor, v2=9, v1=0)
    for name, version, executors in (("latest", "v2", 3), ("v2", "v2", 3), ("v1", "v1", 0)):
        found = client.get(f"{path}/autoscale/versions/{name}").json()
        assert (found["applicationVersion"], found["desiredExecutors"]) == (version, executors)
    problem(client.get(f"{path}/autoscale/versions/v0"), 404)


def test_a_policy_survives_a_restart(tmp_path: Path) -> None:
    with relay_in(tmp_path) as relay:
        with relay.client() as client:
            client.put("/v2/orgs/acme/apps/shop")
            executor = answering(relay, "shop")
            healthy(client, "shop", "e1")
            policy = {"queue": "jobs", "rollout": {"maxExecutorsForOldApplicationVersions": 0}}
            assert client.put("/v2/orgs/acme/apps/shop/autoscaling-policy", json=policy).status_code == 200
        relay.kill()
        executor.close()
        relay.start()
        with relay.client() as client:
            assert client.get("/v2/orgs/acme/apps/shop/autoscaling-policy").json() == {"policy": policy}
