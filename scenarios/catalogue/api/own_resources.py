"""API-4: applications, keys, alerting rules and autoscaling policies from their creation to their end."""

from __future__ import annotations

from typing import Any

from scenarios.catalogue import scenario
from scenarios.catalogue.api.paths import app_path, org_path
from scenarios.catalogue.api.shapes import deviations
from scenarios.catalogue.envelope.calls import ready_executor
from scenarios.catalogue.liveness.moments import patience
from scenarios.errors import Unsupported
from scenarios.world import Answer, App, Reply, Script, World

_PERMISSIONS = {
    "organization.read", "organization.write", "application.read", "application.write", "metric.read", "token.read",
    "token.write", "websocket.connect",
}  # fmt: skip


def _expect_answer(world: World, answer: Answer, text: str, status: int, body: Any = None) -> None:
    world.expect("API-4", "answer", text, call=answer.call, status=[status], body=body)


def _require(answer: Answer, what: str) -> None:
    if answer.status in (400, 404, 405, 422, 501):
        raise Unsupported(f"the relay has no {what}: it answers {answer.status}")


@scenario(
    "API-4/applications",
    clauses=("API-4",),
    title="An application is listed until it is deleted, and its executors go with it",
    simulated=False,
    needs=("register", "workflows"),
)
async def applications(world: World) -> None:
    app = await world.app()
    executor = await ready_executor(world, app)
    listed = await world.control.http("GET", org_path(app, "apps"), org=app.org)
    rows = listed.body if isinstance(listed.body, list) else []
    own = [row for row in rows if isinstance(row, dict) and row.get("name") == app.name]
    shape = [deviations("get_app", row) for row in own]
    world.expect("API-4", "equal", "listed once, in its shape", name="applications", want=[[]], got=shape)
    before = world.note("the application is about to be deleted")
    deleted = await world.control.http("DELETE", app_path(app), org=app.org)
    _expect_answer(world, deleted, "deleted", 204)
    await world.until_closed(executor, within_s=patience(world, "scan + 2*slack"))
    world.expect("API-4", "closed", "its connections end", conn=executor.conn, after=before, latest="scan + 2*slack")
    gone = await world.control.http("GET", app_path(app), org=app.org)
    _expect_answer(world, gone, "unknown from now on", 404)


@scenario(
    "API-4/keys",
    clauses=("API-4",),
    title="A key is listed with its name, permissions and applications, without its secret, until it is deleted",
    simulated=False,
    needs=("auth", "keys"),
)
async def keys(world: World) -> None:
    app = await world.app()
    name, secret = await world.control.create_key(app.org, permissions=["application.read"])

    async def shown() -> tuple[list[Any], bool]:
        answer = await world.control.http("GET", org_path(app, "tokens"), org=app.org)
        rows = answer.body if isinstance(answer.body, list) else []
        return [row for row in rows if isinstance(row, dict) and row.get("tokenName") == name], secret in str(rows)

    rows, told = await shown()
    fields = {"tokenName", "permissions", "appIds", "createdAt"}
    got = [[sorted(set(row) ^ fields), row.get("permissions")] for row in rows]
    world.expect("API-4", "equal", "in its shape", name="keys", want=[[[], ["application.read"]]], got=got)
    world.expect("API-4", "equal", "and its secret nowhere", name="told", want=False, got=told)
    deleted = await world.control.revoke_key(app.org, name)
    _expect_answer(world, deleted, "deleted", 204)
    rows, _ = await shown()
    world.expect("API-4", "equal", "not listed any more", name="keys", want=0, got=len(rows))


@scenario(
    "API-4/alerting-rules",
    clauses=("API-4",),
    title="An alerting rule is created, listed and deleted",
    needs=("workflows",),
)
async def alerting_rules(world: World) -> None:
    app = await world.app()
    operation = world.control.operation
    body = {"ruleType": "SlowQueue", "ruleMetadata": {"queue_name": "ä"}, "minIntervalSecs": 3600}
    created = await operation(app, "create_alerting_rule", body=body)
    _require(created, "alerting rules")
    rule = {"ruleType": "SlowQueue", "ruleMetadata": {"queue_name": "ä"}, "minIntervalSecs": 3600, "lastFiredAt": None}
    _expect_answer(world, created, "created", 201, rule)
    shape = deviations("create_alerting_rule", created.body)
    world.expect("API-4", "equal", "its shape", name="deviations", want=[], got=shape)
    rule_id = str(created.body.get("id")) if isinstance(created.body, dict) else ""
    listed = await operation(app, "list_alerting_rules")
    _expect_answer(world, listed, "listed", 200, [{**rule, "id": rule_id}])
    deleted = await operation(app, "delete_alerting_rule", rule_id)
    _expect_answer(world, deleted, "deleted", 204)
    again = await operation(app, "delete_alerting_rule", rule_id)
    _expect_answer(world, again, "unknown from now on", 404)
    left = await operation(app, "list_alerting_rules")
    _expect_answer(world, left, "none is left", 200, [])


_QUEUE = {
    "name": "orders",
    "worker_concurrency": 2,
    "priority_enabled": False,
    "partition_queue": False,
    "polling_interval_sec": 1,
}
_VERSIONS = [
    {"version_id": "1", "version_name": "v1", "version_timestamp": 1_700_000_000_000, "created_at": 1},
    {"version_id": "2", "version_name": "v2", "version_timestamp": 1_700_000_000_001, "created_at": 2},
]
_DEPTHS = [
    {"group": {"application_version": "v2"}, "count": 7},
    {"group": {"application_version": "v1"}, "count": 3},
]


@scenario(
    "API-4/autoscaling",
    clauses=("API-4",),
    title="A policy tells how many executors each version is worth: what waits or runs, by a worker's concurrency",
    needs=("workflows",),
)
async def autoscaling(world: World) -> None:
    app = await world.app()
    replies = {
        "get_queue": Reply(fields={"output": _QUEUE}),
        "list_application_versions": Reply(fields={"output": _VERSIONS}),
        "get_workflow_aggregates": Reply(fields={"output": _DEPTHS}),
    }
    await ready_executor(world, app, Script(replies=replies))
    operation = world.control.operation
    policy = {"queue": "orders", "rollout": {"maxOldApplicationVersions": 1}}
    made = await operation(app, "set_autoscaling_policy", body=policy)
    _require(made, "autoscaling policy")
    _expect_answer(world, made, "set", 200, {"policy": policy})
    _expect_answer(world, await operation(app, "get_autoscaling_policy"), "read", 200, {"policy": policy})
    newest = {
        "queueName": "orders",
        "applicationVersion": "v2",
        "isLatest": True,
        "queueDepth": 7,
        "desiredExecutors": 4,
    }
    older = {**newest, "applicationVersion": "v1", "isLatest": False, "queueDepth": 3, "desiredExecutors": 2}
    _expect_answer(world, await operation(app, "get_autoscale"), "all versions", 200, [newest, older])
    latest = await operation(app, "get_autoscale_version", "latest")
    _expect_answer(world, latest, "the latest", 200, newest)
    _expect_answer(world, await operation(app, "get_autoscale_version", "v1"), "an old one", 200, older)
    _expect_answer(world, await operation(app, "delete_autoscaling_policy"), "deleted", 204)
    await _expect_none(world, app)


async def _expect_none(world: World, app: App) -> None:
    gone = await world.control.operation(app, "get_autoscaling_policy")
    _expect_answer(world, gone, "none is left", 404)


@scenario(
    "API-4/permissions",
    clauses=("API-4",),
    title="The permissions that there are, by name, for whoever has a key",
    simulated=False,
    needs=("auth", "keys"),
)
async def permissions(world: World) -> None:
    app = await world.app()
    _, secret = await world.control.create_key(app.org)
    answer = await world.control.http("GET", org_path(app, "permissions"), token=secret)
    _require(answer, "list of permissions")
    _expect_answer(world, answer, "listed", 200)
    named = answer.body if isinstance(answer.body, list) else []
    lacking = sorted(_PERMISSIONS - {str(each) for each in named})
    world.expect("API-4", "equal", "those of the document", name="lacking", want=[], got=lacking)


@scenario(
    "API-4/renamed-key",
    clauses=("API-4",),
    title="A key that is renamed keeps its secret, and its old name is free",
    simulated=False,
    needs=("auth", "keys"),
)
async def renamed_key(world: World) -> None:
    app = await world.app()
    name, secret = await world.control.create_key(app.org, permissions=["application.read"])
    path = org_path(app, "tokens", name)
    renamed = await world.control.http("PATCH", path, json={"newName": f"{name}-2"}, org=app.org)
    _require(renamed, "renaming of keys")
    world.expect("API-4", "answer", "renamed", call=renamed.call, status=["2xx"])
    used = await world.control.http("GET", app_path(app), token=secret)
    _expect_answer(world, used, "its secret is good", 200)
    gone = await world.control.http("DELETE", path, org=app.org)
    _expect_answer(world, gone, "nothing has the old name", 404)
    _expect_answer(world, await world.control.revoke_key(app.org, f"{name}-2"), "deleted by the new one", 204)
