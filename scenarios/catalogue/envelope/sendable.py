"""ENV-12: everything that this catalogue can make a relay send, so that the judge sees its form."""

from __future__ import annotations

from typing import Any

from scenarios.catalogue import scenario
from scenarios.catalogue.api.paths import app_path
from scenarios.catalogue.envelope.calls import ready_executor, workflow_record
from scenarios.world import Reply, Script, World

_ODD = 'wf/ä?#"\\\u2028 import_workflow'
_SEARCHES: tuple[dict[str, Any], ...] = (
    {},
    {"workflowIds": ["wf-1", _ODD], "limit": 3, "offset": 0, "sortDesc": False},
    {"workflowIds": [], "status": [], "workflowName": [], "user": []},
    {"status": ["PENDING", "ENQUEUED"], "workflowName": ["checkout"], "queueName": ["orders"], "queuesOnly": True},
    {"startTime": "2026-01-02T03:04:05Z", "endTime": "2026-01-02T03:04:05.678901+02:00"},
    {"completedAfter": "2026-01-02T03:04:05.5Z", "dequeuedBefore": "2026-01-02T03:04:05-00:30"},
    {"hasParent": True, "wasForkedFrom": False, "forkedFrom": ["wf-0"], "parentWorkflowId": ["wf-p"]},
    {"attributes": {"tier": "gold", "nested": {"a": [1, None]}}, "executorId": ["e"], "appVersion": ["v1"]},
    {"workflowIdPrefix": ["wf-"], "scheduleName": ["nightly"], "loadInput": True, "loadOutput": True},
)


@scenario(
    "ENV-12/every-request",
    clauses=("ENV-12",),
    title="Every request that an API call leads to is in a form that all four SDKs survive",
)
async def every_request(world: World) -> None:
    app = await world.app()
    answers = {"get_workflow": Reply(fields={"output": workflow_record("wf-1")})}
    await ready_executor(world, app, Script(replies=answers))
    call = world.control.workflow
    for search in _SEARCHES:
        await call(app, "search", **search)
    await call(app, "list")
    await call(app, "list", status="PENDING", workflowName="checkout", limit=1, offset=1, sortDesc=True, loadInput=True)
    for workflow_id in ("wf-1", _ODD):
        await call(app, "get", workflow_id)
        await call(app, "steps", workflow_id)
        await call(app, "steps", workflow_id, limit=2, offset=1)
        await call(app, "cancel", workflow_id)
        await call(app, "cancel", workflow_id, cancelChildren=True)
        await call(app, "resume", workflow_id)
        await call(app, "resume", workflow_id, queueName="orders")
    await call(app, "versions")
    world.note("every operation was called")


@scenario(
    "ENV-12/recovery",
    clauses=("ENV-12",),
    title="What the relay sends on its own, around a recovery, is in a form that all four SDKs survive",
)
async def recovery(world: World) -> None:
    app = await world.app()
    peer = await ready_executor(world, app)
    mortal = await ready_executor(world, app, version="v1")
    timing = world.timing
    await mortal.drop("rst")
    await world.until_frame(peer, "recovery", within_s=app.grace_s + timing.scan_s + timing.backoff_first_s + 5)
    await world.until_status(mortal, "GONE", within_s=timing.request_deadline_s + timing.slack_s + timing.scan_s)
    # A relay may ask later on whether the recovered id owns work again (REC-25).
    await world.until_frame(peer, "get_workflow_aggregates", within_s=app.grace_s + timing.scan_s + timing.slack_s)


@scenario(
    "ENV-12/latest-version",
    clauses=("ENV-12",),
    title="Setting the latest version is asked for in a form that all four SDKs survive",
    simulated=False,
    needs=("workflows",),
)
async def latest_version(world: World) -> None:
    app = await world.app()
    await ready_executor(world, app)
    for version in ("v2", _ODD):
        await world.control.http(
            "PATCH", app_path(app, "versions", "latest"), json={"versionName": version}, org=app.org
        )
