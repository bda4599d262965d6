"""Alerts, metrics and retention with a real SDK behind the relay: the questions mean to it what they should."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.reference_relay.clients.every_call import APP
from tests.reference_relay.clients.real import real_executor
from tests.reference_relay.support import CONFIG, relay_in, until

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not importlib.util.find_spec("dbos"), reason="needs dbos: pip install 'relayproof[real]'"),
]
UPKEEP = {"metrics_period_s": 30, "retention_period_s": 1, "alert_period_s": 0.5}
PATH = f"/v2/orgs/acme/apps/{APP}"


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("relay")
    config = {**CONFIG, "upkeep": UPKEEP, "timing": CONFIG["timing"] | {"request_deadline_s": 5.0}}  # type: ignore[operator]
    with relay_in(folder, config) as relay, relay.client() as client, real_executor(relay, client, folder):
        yield client


def fired(http: httpx.Client, rule_type: str, metadata: dict[str, Any]) -> list[dict[str, Any]]:
    """Metadata of the alerts that a rule sent, once it did."""
    body = {"ruleType": rule_type, "ruleMetadata": metadata}
    rule = http.post(f"{PATH}/alerting-rules", json=body).json()
    query = {"operation": "alerting_rule.fire", "target": rule["id"]}
    found = until(lambda: http.get("/v2/orgs/acme/audit-logs", params=query).json(), "an alert", 30)
    assert {entry["status"] for entry in found} == {"success"}
    return [entry["details"]["metadata"] for entry in found]


def test_failures_are_counted(http: httpx.Client) -> None:
    (metadata,) = fired(http, "WorkflowFailure", {"workflow_name": "failing", "threshold": 2})
    assert metadata["failed_workflow_count"] == "2"
    (metadata,) = fired(http, "WorkflowFailure", {})
    assert metadata["failed_workflow_count"] == "2"


def test_waiting_workflows_are_counted(http: httpx.Client) -> None:
    (metadata,) = fired(http, "SlowQueue", {"queue_name": "jobs", "threshold_secs": 1})
    assert metadata["stuck_workflow_count"] == "1", "two of three run: the queue has two workers"


def test_metrics_count_workflows_and_steps(http: httpx.Client) -> None:
    span = {"startTime": "2020-01-01T00:00:00Z", "endTime": "2100-01-01T00:00:00Z"}

    def counted() -> dict[tuple[str, str], float]:
        found = http.get(f"{PATH}/metrics", params=span).json()
        values = {(metric["metricType"], metric["metricName"]): metric["value"] for metric in found}
        return values if {("workflow_count", "order"), ("step_count", "pay")} <= values.keys() else {}

    values = until(counted, "the metrics of the period in which the workflow ran", 75)
    assert values["workflow_count", "order"] == 1
    assert values["step_count", "pay"] == 1


def test_a_global_timeout_cancels(http: httpx.Client) -> None:
    assert http.patch(PATH, json={"globalTimeoutMs": 1000}).status_code == 204

    def waiting() -> set[str]:
        rows = http.post(f"{PATH}/workflows/search", json={"workflowIdPrefix": ["waiting"]}).json()
        return {row["status"] for row in rows}

    until(lambda: waiting() == {"CANCELLED"}, "all cancelled", 30)
    http.patch(PATH, json={"globalTimeoutMs": 0, "gcTimeThresholdMs": 1})
    until(lambda: http.get(f"{PATH}/workflows").json() == [], "the finished ones gone", 30)
