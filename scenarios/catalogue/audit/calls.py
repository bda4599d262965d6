"""AUD-4: what people change through the API is in the audit log too."""

from __future__ import annotations

from collections.abc import Mapping

from scenarios.catalogue import scenario
from scenarios.catalogue.envelope.calls import ready_executor
from scenarios.catalogue.message.exchange import Call
from scenarios.world import World

MUTATIONS: Mapping[str, tuple[Call, str]] = {
    "cancel": (Call(operation="cancel_workflow", subject="wf-1", body={}), "workflow.cancel"),
    "resume": (Call(operation="resume_workflow", subject="wf-1", body={}), "workflow.resume"),
    "delete": (Call(operation="delete_workflow", subject="wf-1"), "workflow.delete"),
    "fork": (Call(operation="fork_workflow", subject="wf-1", body={"startStep": 1}), "workflow.fork"),
    "import": (Call(operation="import_workflow", body={"serializedWorkflow": "x"}), "workflow.import"),
    "bulk-cancel": (
        Call(operation="bulk_cancel_workflows", body={"workflowIds": ["wf-1"]}), "workflow.bulk_cancel"
    ),
    "bulk-delete": (
        Call(operation="bulk_delete_workflows", body={"workflowIds": ["wf-1"]}), "workflow.bulk_delete"
    ),
    "pause-schedule": (Call(operation="pause_schedule", subject="nightly"), "schedule.pause"),
    "trigger-schedule": (Call(operation="trigger_schedule", subject="nightly"), "schedule.trigger"),
    "latest-version": (
        Call(operation="set_latest_app_version", body={"versionName": "v2"}), "application.set_latest_version"
    ),
}  # fmt: skip
"""Call, and the operation of its entry (documentation of the audit log)."""


@scenario(
    "AUD-4/mutation",
    clauses=("AUD-4",),
    title="A change that an executor made for the API is in the audit log",
    needs=("audit", "workflows"),
    variants=MUTATIONS,
)
async def mutation(world: World, tried: tuple[Call, str]) -> None:
    call, operation = tried
    app = await world.app()
    await ready_executor(world, app)
    await world.control.operation(app, call.operation, call.subject, query=call.query, body=call.body)
    await world.control.audit(app.org)
    world.expect(
        "AUD-4",
        "audited",
        "its entry",
        org=app.org,
        operation=operation,
        mentions=[app.name],
        match={"status": "success"},
    )


@scenario(
    "AUD-4/settings",
    clauses=("AUD-4",),
    title="A change of the settings is in the audit log",
    needs=("audit", "settings"),
)
async def settings(world: World) -> None:
    app = await world.app()
    await world.control.patch_settings(app, {"executorTimeoutSecs": 17})
    await world.control.audit(app.org)
    world.expect("AUD-4", "audited", "its entry", org=app.org, operation="settings", mentions=[app.name])


@scenario(
    "AUD-4/keys",
    clauses=("AUD-4",),
    title="The creation and the revocation of a key are in the audit log",
    simulated=False,
    needs=("audit", "keys"),
)
async def keys(world: World) -> None:
    app = await world.app()
    name, _ = await world.control.create_key(app.org)
    await world.control.revoke_key(app.org, name)
    await world.control.audit(app.org)
    for operation in ("key_created", "key_revoked"):
        world.expect("AUD-4", "audited", "its entry", org=app.org, operation=operation, mentions=[name])
