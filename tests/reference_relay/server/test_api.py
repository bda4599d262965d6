"""The management API over HTTP: shapes, status codes, problem documents."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import httpx
import pytest

from tests.reference_relay.support import (
    ADMIN,
    OTHER_ADMIN,
    Executor,
    RelayProcess,
    healthy,
    statuses,
    until,
    version_row,
)

APPLICATION = {
    "id", "name", "orgId", "status", "language", "dbosCloud", "privateMode", "executorTimeoutSecs", "gcRowsThreshold",
    "gcTimeThresholdMs", "globalTimeoutMs",
}  # fmt: skip
EXECUTOR = {
    "executorId", "appId", "appVersion", "status", "hostId", "hostname", "language", "dbosVersion", "executorMetadata",
    "createdAt", "updatedAt",
}  # fmt: skip
ENTRY = {"id", "emitTime", "operation", "status", "subject", "target", "sourceIp", "details"}
O = "/v2/orgs/acme"  # noqa: E741 - as the API's documentation abbreviates it


def problem(answer: httpx.Response, status: int) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = answer.json()
    assert body["status"] == status
    assert body["title"]
    assert body["detail"]
    return body


def entries(client: httpx.Client, **filters: str | int) -> list[dict[str, Any]]:
    answer = client.get(f"{O}/audit-logs", params=filters)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()
    return found


# ---- applications


def test_an_application_from_its_creation_to_its_end(client: httpx.Client) -> None:
    path = f"{O}/apps/life-cycle"
    problem(client.get(path), 404)
    assert client.put(path, json={}).status_code == 204
    before = client.get(path).json()
    assert set(before) == APPLICATION
    assert (before["name"], before["orgId"], before["status"]) == ("life-cycle", "acme", "UNAVAILABLE")
    assert before["executorTimeoutSecs"] == 2  # the relay's timing.grace_s
    assert client.put(path).status_code == 204
    assert client.patch(path, json={"executorTimeoutSecs": 42, "gcRowsThreshold": 5}).status_code == 204
    changed = client.get(path).json()
    assert changed == before | {"executorTimeoutSecs": 42, "gcRowsThreshold": 5}
    assert client.patch(path, json={"gcRowsThreshold": 0, "privateMode": True}).status_code == 204
    assert client.get(path).json() == before | {"executorTimeoutSecs": 42, "privateMode": True}
    assert "life-cycle" in [application["name"] for application in client.get(f"{O}/apps").json()]
    assert client.delete(path).status_code == 204
    problem(client.get(path), 404)
    problem(client.delete(path), 404)


def test_the_extension_setting_shows_in_its_own_place(client: httpx.Client, app: str) -> None:
    path = f"{O}/apps/{app}"
    assert client.get(f"{path}/settings-extensions").json() == {"recoverToLatestVersion": False}
    assert client.patch(path, json={"recoverToLatestVersion": True}).status_code == 204
    assert client.get(f"{path}/settings-extensions").json() == {"recoverToLatestVersion": True}
    assert set(client.get(path).json()) == APPLICATION


@pytest.mark.parametrize(
    ("body", "location"),
    [
        ({"executorTimeoutSecs": 0}, "body.executorTimeoutSecs"),
        ({"executorTimeoutSecs": "7"}, "body.executorTimeoutSecs"),
        ({"executorTimeoutSecs": None}, "body.executorTimeoutSecs"),
        ({"gcTimeThresholdMs": -1}, "body.gcTimeThresholdMs"),
        ({"executorTimeout": 7}, "body"),
        ([], "body"),
    ],
)
def test_a_body_that_breaks_the_schema_changes_nothing(
    client: httpx.Client, app: str, body: object, location: str
) -> None:
    path = f"{O}/apps/{app}"
    before = client.get(path).json()
    errors = problem(client.patch(path, json=body), 422)["errors"]
    assert [error["location"] for error in errors] == [location]
    assert client.get(path).json() == before


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b'{"a":' * 5000])
def test_an_unreadable_body_changes_nothing(client: httpx.Client, app: str, content: bytes) -> None:
    problem(client.patch(f"{O}/apps/{app}", content=content), 400)


def test_a_body_beyond_the_limit(client: httpx.Client, app: str) -> None:
    problem(client.patch(f"{O}/apps/{app}", content=b" " * 2_000_000), 413)


def test_names_of_new_applications_are_checked(client: httpx.Client) -> None:
    for name in ("ab", "UPPER", "a%20b", "a%2Fb", "x" * 257):
        (error,) = problem(client.put(f"{O}/apps/{name}"), 422)["errors"]
        assert error["location"] == "path.appName"
    problem(client.put(f"{O}/apps/%zz"), 400)


def test_clients_may_name_the_schema(client: httpx.Client, app: str) -> None:
    body = {"$schema": "https://example.org/x.json", "executorTimeoutSecs": 9}
    assert client.patch(f"{O}/apps/{app}", json=body).status_code == 204


# ---- who may


def test_without_a_valid_token_nothing_is_told(relay: RelayProcess, app: str) -> None:
    for key in (None, "dbos_acme_wrong0123456789ab"):
        with relay.client(key) as nobody:
            for method, path in [
                ("GET", f"{O}/apps"),
                ("PUT", f"{O}/apps/{app}"),
                ("PATCH", f"{O}/apps/{app}"),
                ("DELETE", f"{O}/apps/{app}"),
                ("GET", f"{O}/apps/{app}/executors"),
                ("GET", f"{O}/apps/{app}/workflows"),
                ("POST", f"{O}/apps/{app}/workflows/w/cancel"),
                ("GET", f"{O}/tokens"),
                ("POST", f"{O}/tokens/x"),
                ("GET", f"{O}/audit-logs"),
                ("GET", "/v2/orgs/nowhere/apps"),
                ("GET", "/v1/metrics"),
            ]:
                answer = nobody.request(method, path)
                problem(answer, 401)
                assert answer.headers["www-authenticate"] == "Bearer"
                assert key is None or key not in answer.text


def test_another_organisation_sees_and_changes_nothing(relay: RelayProcess, app: str, client: httpx.Client) -> None:
    with relay.client(OTHER_ADMIN) as other:
        problem(other.get(f"{O}/apps/{app}"), 404)
        problem(other.delete(f"{O}/apps/{app}"), 404)
        problem(other.patch(f"{O}/apps/{app}", json={"executorTimeoutSecs": 9}), 404)
        assert app not in other.get("/v1/metrics").text
    assert client.get(f"{O}/apps/{app}").json()["executorTimeoutSecs"] == 2


def test_permissions_and_scopes(relay: RelayProcess, app: str, client: httpx.Client) -> None:
    body = {"permissions": ["application.read"], "appNames": [app]}
    token = client.post(f"{O}/tokens/reader-{app}", json=body).json()["token"]
    client.put(f"{O}/apps/{app}-2")
    with relay.client(token) as reader:
        assert reader.get(f"{O}/apps/{app}").status_code == 200
        assert [application["name"] for application in reader.get(f"{O}/apps").json()] == [app]
        problem(reader.get(f"{O}/apps/{app}-2"), 403)
        problem(reader.delete(f"{O}/apps/{app}"), 403)
        problem(reader.get(f"{O}/audit-logs"), 403)
        problem(reader.get(f"{O}/tokens"), 403)
    (denied,) = entries(client, operation="application.delete", subject=f"reader-{app}")
    assert denied["status"] == "failure"


# ---- tokens


def test_a_token_is_shown_once(client: httpx.Client, app: str) -> None:
    answer = client.post(f"{O}/tokens/once-{app}", json={"appNames": [app]})
    assert answer.status_code == 201
    created = answer.json()
    assert set(created) == {"token", "tokenName"}
    assert created["token"].startswith("dbos_acme_")
    listed = client.get(f"{O}/tokens")
    assert created["token"] not in listed.text
    (view,) = [token for token in listed.json() if token["tokenName"] == f"once-{app}"]
    assert set(view) == {"tokenName", "permissions", "appIds", "createdAt"}
    assert view["permissions"] == ["websocket.connect"]
    assert view["appIds"] == [client.get(f"{O}/apps/{app}").json()["id"]]
    problem(client.post(f"{O}/tokens/once-{app}"), 409)
    assert client.delete(f"{O}/tokens/once-{app}").status_code == 204
    problem(client.delete(f"{O}/tokens/once-{app}"), 404)
    problem(client.delete(f"{O}/tokens/admin"), 409)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"permissions": ["fly"]}, 400),
        ({"permissions": ["token.write"]}, 400),
        ({"appNames": ["nowhere"]}, 404),
        ({"appNames": "shop"}, 422),
        ({"names": []}, 422),
    ],
)
def test_tokens_that_can_not_be(client: httpx.Client, body: dict[str, object], status: int) -> None:
    problem(client.post(f"{O}/tokens/refused", json=body), status)
    assert "refused" not in client.get(f"{O}/tokens").text


def test_a_key_grants_only_what_it_holds(relay: RelayProcess, client: httpx.Client) -> None:
    assert client.post(f"{O}/tokens/weak", json={"permissions": ["token.read"]}).status_code == 201
    with relay.client(client.post(f"{O}/tokens/weaker", json={"permissions": ["token.read"]}).json()["token"]) as weak:
        assert weak.get(f"{O}/tokens").status_code == 200
        problem(weak.post(f"{O}/tokens/strong"), 403)


# ---- executors, audit, metrics


def test_executors_as_they_reported_themselves(relay: RelayProcess, app: str, client: httpx.Client) -> None:
    assert client.get(f"{O}/apps/{app}/executors").json() == []
    executor = Executor(relay, app, "e1")
    healthy(client, app, "e1")
    (view,) = client.get(f"{O}/apps/{app}/executors").json()
    assert set(view) == EXECUTOR
    assert (view["appVersion"], view["language"], view["hostname"]) == ("v1", "python", None)
    assert datetime.fromisoformat(view["createdAt"]).tzinfo is not None
    assert client.get(f"{O}/apps/{app}").json()["status"] == "AVAILABLE"
    metrics = client.get("/v1/metrics", params={"applications": app})
    assert metrics.headers["content-type"].startswith("application/openmetrics-text")
    sample = f'executor_count{{application="{app}",status="HEALTHY",application_version="v1"}} 1'
    assert f"dbos_conductor_v1_{sample}" in metrics.text.splitlines()
    assert metrics.text.endswith("# EOF\n")
    executor.close()


def test_a_recovery_leaves_its_traces(relay: RelayProcess, app: str, client: httpx.Client) -> None:
    path = f"{O}/apps/{app}"
    client.patch(path, json={"executorTimeoutSecs": 1})
    dead = Executor(relay, app, "dead")
    healthy(client, app, "dead")
    dead.close()
    until(lambda: client.get(f"{path}/surfaced-recoveries").json(), "a surfaced recovery")
    (waiting,) = client.get(f"{path}/surfaced-recoveries").json()
    assert set(waiting) == {"executorId", "appVersion", "language", "reason", "attempts", "deadSince"}
    assert waiting["executorId"] == "dead"
    peer = Executor(relay, app, "peer")
    until(lambda: "dead" not in statuses(client, app), "the dead one's record gone")
    assert [request["executor_ids"] for request in peer.seen("recovery")] == [["dead"]]
    app_id = client.get(path).json()["id"]
    found = entries(client, target=app_id, subject="relay")
    recovered = [entry for entry in found if entry["operation"] == "executor.recover"]
    assert recovered
    assert all(set(entry) == ENTRY for entry in found)
    assert {entry["details"]["executorId"] for entry in found} == {"dead"}
    assert any(entry["operation"] == "executor.delete" for entry in found)
    window = {"startTime": "2020-01-01T00:00:00Z", "endTime": "2100-01-01T00:00:00+00:00"}
    (row,) = client.get(f"{path}/metrics", params=window).json()
    assert set(row) == {"appId", "metricType", "metricName", "granularity", "timeBucket", "value"}
    assert (row["metricType"], row["value"], row["appId"]) == ("recovery_count", 1, app_id)
    assert f'relayproof_recoveries_total{{application="{app}",result="success"}} 1' in client.get("/v1/metrics").text
    problem(client.get(f"{path}/metrics"), 422)
    peer.close()


def test_changes_are_audited_newest_first(client: httpx.Client, app: str) -> None:
    path = f"{O}/apps/{app}"
    client.patch(path, json={"executorTimeoutSecs": 9})
    client.patch(path, json={"executorTimeoutSecs": -9})
    found = entries(client, target=client.get(path).json()["id"])
    assert [(entry["operation"], entry["status"]) for entry in found] == [
        ("application.update", "failure"),
        ("application.update", "success"),
        ("application.create", "success"),
    ]
    assert found[1]["subject"] == {"type": "api_key", "id": "admin", "display": "admin"}
    assert found[1]["sourceIp"] == "127.0.0.1"
    assert found[1]["details"] == {"application_name": app, "executor_timeout_secs": 9}
    assert entries(client, limit=1, offset=1) == entries(client, limit=2)[1:]
    assert entries(client, endTime="2020-01-01T00:00:00Z") == []


@pytest.mark.parametrize("query", ["limit=1001", "limit=0", "limit=x", "offset=-1", "startTime=yesterday"])
def test_audit_filters_are_checked(client: httpx.Client, query: str) -> None:
    (error,) = problem(client.get(f"{O}/audit-logs?{query}"), 422)["errors"]
    assert error["location"] == f"query.{query.split('=')[0]}"


# ---- paths


def test_unknown_paths_and_methods(client: httpx.Client, app: str) -> None:
    problem(client.get("/nothing"), 404)
    problem(client.get(f"{O}/apps/{app}/nothing"), 404)
    problem(client.get(f"{O}/apps/{app}/executors/"), 404)
    problem(client.post(f"{O}/apps/{app}"), 405)


def test_every_base_path(client: httpx.Client, app: str) -> None:
    for base in ("/conductor", "//a/b"):
        assert client.get(f"{base}{O}/apps/{app}").status_code == 200
        assert client.get(f"{base}/healthz").json() == {"status": "ok"}
        assert client.get(f"{base}/v1/metrics").status_code == 200


def test_no_answer_holds_a_key(relay: RelayProcess, app: str, client: httpx.Client) -> None:
    token = client.post(f"{O}/tokens/shy-{app}").json()["token"]
    texts = [client.get(f"{O}{path}").text for path in ("/tokens", "/apps", "/audit-logs", f"/apps/{token}")]
    texts += [client.get(f"/websocket/{app}/{token}").text, relay.log()]
    for text in texts:
        assert token not in text
        assert ADMIN not in text


def test_versions(relay: RelayProcess, app: str, client: httpx.Client) -> None:
    path = f"{O}/apps/{app}/versions"
    problem(client.get(path), 503)
    executor = Executor(relay, app, "e1")
    executor.answers["list_application_versions"] = lambda _: {
        "output": [version_row("v1", 1_700_000_000_000), version_row("v2", 1_800_000_000_000)]
    }
    healthy(client, app, "e1")
    first = client.get(path).json()[0]
    assert first == {
        "versionId": "id-v1",
        "versionName": "v1",
        "versionTimestamp": "2023-11-14T22:13:20.000Z",
        "createdAt": "2023-11-14T22:13:20.000Z",
    }
    assert client.patch(f"{path}/latest", json={"versionName": "v2"}).status_code == 204
    assert [request["version_name"] for request in executor.seen("set_latest_application_version")] == ["v2"]
    problem(client.patch(f"{path}/latest", json={"versionName": "v3"}), 404)
    problem(client.patch(f"{path}/latest", json={}), 422)
    executor.answers["set_latest_application_version"] = lambda _: {"success": False}
    problem(client.patch(f"{path}/latest", json={"versionName": "v2"}), 502)
    executor.close()


def test_json_is_what_it_says(client: httpx.Client, app: str) -> None:
    answer = client.get(f"{O}/apps/{app}")
    assert answer.headers["content-type"] == "application/json"
    assert json.loads(answer.content)["name"] == app
