"""Alerts, metrics and retention of a running relay, seen by a scripted executor."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from conductor.sendable import violations
from tests.reference_relay.answering import answering
from tests.reference_relay.server.test_api import problem
from tests.reference_relay.support import CONFIG, Executor, RelayProcess, healthy, relay_in, until

UPKEEP = {"metrics_period_s": 1, "retention_period_s": 0.5, "alert_period_s": 0.2, "alert_retry_s": 0.1}
FAILURES = {"output": [{"group": {"name": "order"}, "count": 3}]}
NONE: dict[str, Any] = {"output": []}


@pytest.fixture(scope="module")
def relay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RelayProcess]:
    with relay_in(tmp_path_factory.mktemp("relay"), {**CONFIG, "upkeep": UPKEEP}) as process:
        yield process
        assert "upkeep failed" not in process.log()


@pytest.fixture
def executor(relay: RelayProcess, client: httpx.Client, app: str) -> Iterator[Executor]:
    connected = answering(relay, app)
    connected.answers["get_workflow_aggregates"] = lambda _: NONE
    healthy(client, app, "e1")
    yield connected
    connected.close()


def create(client: httpx.Client, app: str, type_: str, metadata: Any = None, **fields: Any) -> dict[str, Any]:
    body = {"ruleType": type_, "ruleMetadata": metadata, **fields}
    answer = client.post(f"/v2/orgs/acme/apps/{app}/alerting-rules", json=body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def alerts(executor: Executor, within_s: float = 10.0) -> list[dict[str, Any]]:
    return until(lambda: executor.seen("alert"), "an alert", within_s)


def looks(executor: Executor, more: int = 3) -> None:
    """Wait until the rules were looked at a few times more."""
    before = len(executor.seen("get_workflow_aggregates"))
    until(lambda: len(executor.seen("get_workflow_aggregates")) >= before + more, "looks at the rules")


def attempts(client: httpx.Client, rule_id: str) -> list[dict[str, Any]]:
    page = client.get("/v2/orgs/acme/audit-logs", params={"operation": "alerting_rule.fire", "target": rule_id}).json()
    return list(reversed(page))


def test_a_rule_is_created_listed_and_deleted(client: httpx.Client, app: str) -> None:
    path = f"/v2/orgs/acme/apps/{app}/alerting-rules"
    app_id = client.get(f"/v2/orgs/acme/apps/{app}").json()["id"]
    rule = create(client, app, "SlowQueue", {"threshold_secs": 5}, minIntervalSecs=60)
    assert rule == {
        "id": rule["id"], "appId": app_id, "receivingAppId": app_id, "ruleType": "SlowQueue",
        "ruleMetadata": {"threshold_secs": 5}, "minIntervalSecs": 60, "lastFiredAt": None,
    }  # fmt: skip
    assert client.get(path).json() == [rule]
    assert client.delete(f"{path}/{rule['id']}").status_code == 204
    problem(client.delete(f"{path}/{rule['id']}"), 404)
    assert client.get(path).json() == []


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"ruleType": "Other", "ruleMetadata": {}}, 422),
        ({"ruleType": "SlowQueue"}, 422),
        ({"ruleType": "SlowQueue", "ruleMetadata": {"threshold_secs": -1}}, 422),
        ({"ruleType": "SlowQueue", "ruleMetadata": {}, "minIntervalSecs": 0}, 422),
        ({"ruleType": "SlowQueue", "ruleMetadata": {}, "receivingAppName": "nowhere"}, 404),
        ({"ruleType": "UnresponsiveApplication", "ruleMetadata": {}}, 422),
    ],
)
def test_rules_that_can_not_be(client: httpx.Client, app: str, body: dict[str, Any], status: int) -> None:
    path = f"/v2/orgs/acme/apps/{app}/alerting-rules"
    problem(client.post(path, json=body), status)
    assert client.get(path).json() == []


def test_failures_of_workflows_are_told_once(executor: Executor, client: httpx.Client, app: str) -> None:
    rule = create(client, app, "WorkflowFailure", {"workflow_name": "order", "threshold": 3, "period_secs": 60})
    looks(executor)
    assert not executor.seen("alert")
    executor.answers["get_workflow_aggregates"] = lambda _: FAILURES
    (alert,) = alerts(executor)
    assert not violations("text", json.dumps(alert).encode())
    assert alert["name"] == "WorkflowFailure"
    assert alert["metadata"] == {
        "workflow_name": "order", "failed_workflow_count": "3", "threshold": "3", "period_secs": "60"
    }  # fmt: skip
    looks(executor)
    assert len(executor.seen("alert")) == 1, "the condition stands: nothing new"
    executor.answers["get_workflow_aggregates"] = lambda _: NONE
    looks(executor)
    executor.answers["get_workflow_aggregates"] = lambda _: FAILURES
    until(lambda: len(executor.seen("alert")) == 2, "the condition set in anew")
    (listed,) = client.get(f"/v2/orgs/acme/apps/{app}/alerting-rules").json()
    assert listed["lastFiredAt"] is not None
    assert [entry["status"] for entry in attempts(client, rule["id"])] == ["success", "success"]


def test_the_minimum_interval_is_kept(executor: Executor, client: httpx.Client, app: str) -> None:
    executor.answers["get_workflow_aggregates"] = lambda _: FAILURES
    create(client, app, "SlowQueue", {}, minIntervalSecs=3600)
    alerts(executor)
    executor.answers["get_workflow_aggregates"] = lambda _: NONE
    looks(executor)
    executor.answers["get_workflow_aggregates"] = lambda _: FAILURES
    looks(executor)
    assert len(executor.seen("alert")) == 1


def test_with_an_interval_a_standing_condition_is_told_again(
    executor: Executor, client: httpx.Client, app: str
) -> None:
    executor.answers["get_workflow_aggregates"] = lambda _: FAILURES
    create(client, app, "SlowQueue", {}, minIntervalSecs=1)
    until(lambda: len(executor.seen("alert")) >= 2, "a second alert")


def test_a_silent_application_is_told_to_another(
    relay: RelayProcess, executor: Executor, client: httpx.Client, app: str
) -> None:
    watched = f"{app}-watched"
    assert client.put(f"/v2/orgs/acme/apps/{watched}").status_code == 204
    present = answering(relay, watched)
    healthy(client, watched, "e1")
    create(client, watched, "UnresponsiveApplication", {}, receivingAppName=app)
    create(client, app, "SlowQueue", {})
    looks(executor)
    assert not executor.seen("alert")
    present.close()
    (alert,) = alerts(executor)
    assert alert["metadata"] == {"application_name": watched, "connected_executor_count": "0"}


def test_after_a_start_executors_have_their_grace_period_to_dial(tmp_path: Path) -> None:
    config = {**CONFIG, "upkeep": UPKEEP}
    with relay_in(tmp_path, config) as relay, relay.client() as client:
        for name in ("shop", "ops"):
            client.put(f"/v2/orgs/acme/apps/{name}")
        client.patch("/v2/orgs/acme/apps/shop", json={"executorTimeoutSecs": 60})
        told = answering(relay, "ops")
        told.answers["get_workflow_aggregates"] = lambda _: NONE
        healthy(client, "ops", "e1")
        create(client, "shop", "UnresponsiveApplication", {}, receivingAppName="ops")
        create(client, "ops", "SlowQueue", {})
        looks(told, 5)
        assert not told.seen("alert")
        client.patch("/v2/orgs/acme/apps/shop", json={"executorTimeoutSecs": 1})
        alerts(told)
        told.close()


def test_a_dead_executor_that_nobody_takes_is_told(
    relay: RelayProcess, executor: Executor, client: httpx.Client, app: str
) -> None:
    create(client, app, "ExecutorNotRecovered")
    assert client.patch(f"/v2/orgs/acme/apps/{app}", json={"executorTimeoutSecs": 1}).status_code == 204
    lost = answering(relay, app, "lost", version="v-old")
    healthy(client, app, "lost")
    lost.close()
    (alert,) = alerts(executor, within_s=20)
    assert alert["name"] == "ExecutorNotRecovered"
    assert alert["metadata"]["executor_ids"] == "lost"


def test_a_metric_above_its_threshold_is_told(executor: Executor, client: httpx.Client, app: str) -> None:
    create(client, app, "MetricThreshold", {"metric_name": "order", "threshold": 7})
    create(client, app, "MetricThreshold", {"metric_name": "order", "threshold": 8})
    (alert,) = alerts(executor)
    assert alert["metadata"] == {"metric_name": "order", "value": "7", "threshold": "7"}


def test_deliveries_that_fail_are_tried_again_and_audited(executor: Executor, client: httpx.Client, app: str) -> None:
    failures = iter(["no handler", "no handler"])

    def refuse_twice(_: dict[str, Any]) -> dict[str, Any]:
        error = next(failures, None)
        return {"success": error is None, "error_message": error}

    executor.answers["alert"] = refuse_twice
    executor.answers["get_workflow_aggregates"] = lambda _: FAILURES
    rule = create(client, app, "WorkflowFailure")
    until(lambda: len(attempts(client, rule["id"])) == 3, "three attempts")
    found = attempts(client, rule["id"])
    assert [(entry["status"], entry["details"]["attempt"]) for entry in found] == [
        ("failure", 1), ("failure", 2), ("success", 3)
    ]  # fmt: skip
    assert "no handler" in found[0]["details"]["error"]
    assert len({json.dumps(alert["metadata"], sort_keys=True) for alert in executor.seen("alert")}) == 1


def test_rules_survive_a_restart_and_go_with_their_application(tmp_path: Path) -> None:
    with relay_in(tmp_path) as relay:
        with relay.client() as client:
            client.put("/v2/orgs/acme/apps/shop")
            rule = create(client, "shop", "SlowQueue", {"queue_name": "q"})
        relay.kill()
        relay.start()
        with relay.client() as client:
            assert client.get("/v2/orgs/acme/apps/shop/alerting-rules").json() == [rule]
            client.delete("/v2/orgs/acme/apps/shop")
            client.put("/v2/orgs/acme/apps/shop")
            assert client.get("/v2/orgs/acme/apps/shop/alerting-rules").json() == []


def test_metrics_are_collected_and_served(executor: Executor, client: httpx.Client, app: str) -> None:
    request = until(lambda: executor.seen("get_metrics"), "get_metrics")[0]
    assert not violations("text", json.dumps(request).encode())
    assert request["metric_class"] == "workflow_step_count"
    assert request["start_time"] < request["end_time"]
    span = {"startTime": "2020-01-01T00:00:00Z", "endTime": "2100-01-01T00:00:00Z"}
    path = f"/v2/orgs/acme/apps/{app}/metrics"
    found = until(lambda: client.get(path, params=span).json(), "metrics")
    app_id = client.get(f"/v2/orgs/acme/apps/{app}").json()["id"]
    first = {(m["metricType"], m["metricName"]): m for m in found}
    assert first["workflow_count", "order"] == {
        "appId": app_id, "metricType": "workflow_count", "metricName": "order", "granularity": 1, "value": 7,
        "timeBucket": first["workflow_count", "order"]["timeBucket"],
    }  # fmt: skip
    assert first["step_count", "pay"]["value"] == 21
    lines = {
        f'relayproof_workflow_count{{application="{app}",workflow_name="order"}} 7',
        f'relayproof_step_count{{application="{app}",step_name="pay"}} 21',
    }

    def served() -> set[str]:
        return {*client.get("/v1/metrics", params={"applications": app}).text.splitlines()}

    until(lambda: lines <= served(), "both counts of the last complete period")
    assert 'workflow_name="order"' not in client.get("/v1/metrics", params={"workflow_names": "other"}).text


def starts(executor: Executor) -> list[str]:
    return [request["start_time"] for request in executor.seen("get_metrics")]


def test_a_period_without_an_answer_is_asked_for_again(executor: Executor) -> None:
    answer = executor.answers["get_metrics"]
    executor.answers["get_metrics"] = lambda _: {"error_message": "database is locked"}
    until(lambda: len(starts(executor)) >= 3, "three refusals")
    executor.answers["get_metrics"] = answer
    until(lambda: len({*starts(executor)}) >= 4, "the next periods")
    asked = starts(executor)
    assert asked[0] == asked[1], "nobody had counted it"
    assert sorted({*asked}) == [*dict.fromkeys(asked)], "the older ones first"
    times = [datetime.fromisoformat(text).timestamp() for text in sorted({*asked})]
    assert {after - before for before, after in pairwise(times)} == {1.0}, "no gap, no overlap"


def test_periods_without_an_executor_are_counted_when_one_is_back(
    relay: RelayProcess, client: httpx.Client, app: str
) -> None:
    first = answering(relay, app)
    until(lambda: starts(first), "a period that was asked for")
    first.close()
    until(lambda: client.get(f"/v2/orgs/acme/apps/{app}/executors").json()[0]["status"] != "HEALTHY", "its absence")
    missed = datetime.now(UTC).replace(microsecond=0).isoformat(timespec="milliseconds")
    until(lambda: datetime.now(UTC).timestamp() > datetime.fromisoformat(missed).timestamp() + 2, "its end", 5)
    second = answering(relay, app)
    until(lambda: missed in starts(second), "the missed period", 5)
    second.close()


@pytest.mark.parametrize("value", [1e300, -1e300, 2.0**63])
def test_a_value_that_is_no_count_is_dropped(relay: RelayProcess, client: httpx.Client, app: str, value: float) -> None:
    """And leaves the relay alone: its store can't hold such a number."""
    connected = answering(relay, app)
    row = {"metric_type": "workflow_count", "metric_name": "order", "value": value}
    connected.answers["get_metrics"] = lambda _: {"metrics": [row]}
    healthy(client, app, "e1")
    until(lambda: len(connected.seen("get_metrics")) > 1, "another period")
    assert client.put(f"/v2/orgs/acme/apps/{app}").status_code == 204  # the store still takes writes
    span = {"startTime": "2020-01-01T00:00:00Z", "endTime": "2100-01-01T00:00:00Z"}
    assert client.get(f"/v2/orgs/acme/apps/{app}/metrics", params=span).json() == []
    connected.close()


def test_retention_settings_become_requests(executor: Executor, client: httpx.Client, app: str) -> None:
    path = f"/v2/orgs/acme/apps/{app}"
    assert not executor.seen("retention")
    client.patch(path, json={"gcTimeThresholdMs": 60_000, "globalTimeoutMs": 1_000})
    (request, *_) = until(lambda: executor.seen("retention"), "a retention request")
    assert not violations("text", json.dumps(request).encode())
    body = request["body"]
    assert set(body) == {"gc_cutoff_epoch_ms", "gc_rows_threshold", "gc_batch_size", "timeout_cutoff_epoch_ms"}
    assert body["gc_rows_threshold"] is None
    assert body["timeout_cutoff_epoch_ms"] - body["gc_cutoff_epoch_ms"] == 59_000
    client.patch(path, json={"gcTimeThresholdMs": 0, "globalTimeoutMs": 0, "gcRowsThreshold": 100})
    until(
        lambda: [r for r in executor.seen("retention") if r["body"]["gc_rows_threshold"] == 100
                 and r["body"]["gc_cutoff_epoch_ms"] is None and r["body"]["timeout_cutoff_epoch_ms"] is None],
        "a request by the new settings",
    )  # fmt: skip
    until(lambda: len(executor.seen("retention")) >= 4, "again each period")
