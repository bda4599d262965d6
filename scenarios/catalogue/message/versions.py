"""MSG-list_application_versions and MSG-set_latest_application_version."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.api.paths import app_path
from scenarios.catalogue.envelope.calls import FAILURE, ready_executor
from scenarios.catalogue.message.reads import expect_frame
from scenarios.catalogue.message.records import expect_times
from scenarios.world import Reply, Script, World

_TIMES = [(1700000002123, 1700000000456), (1700000001000, 1700000000000)]
_NAMES = ["v2", "v1 ä"]
_VERSIONS = [
    {"version_id": f"id-{name}", "version_name": name, "version_timestamp": latest_at, "created_at": created_at}
    for name, (latest_at, created_at) in zip(_NAMES, _TIMES, strict=True)
]


@scenario(
    "MSG-list_application_versions/shown",
    clauses=("MSG-list_application_versions",),
    title="The versions of an application: asked for, and every value of the records shown",
)
async def shown(world: World) -> None:
    clause = "MSG-list_application_versions"
    app = await world.app()
    answers = {"list_application_versions": Reply(fields={"output": _VERSIONS})}
    executor = await ready_executor(world, app, Script(replies=answers))
    answer = await world.control.workflow(app, "versions")
    expect_frame(world, clause, executor, "list_application_versions", answer.call, {})
    visible = [{"versionId": f"id-{name}", "versionName": name} for name in _NAMES]
    world.expect(clause, "answer", "the records", call=answer.call, status=[200], body=visible)
    for place, (latest_at, created_at) in enumerate(_TIMES):
        expect_times(world, clause, answer, {"versionTimestamp": latest_at, "createdAt": created_at}, place)


@scenario(
    "MSG-set_latest_application_version/asked",
    clauses=("MSG-set_latest_application_version",),
    title="Setting the latest version reaches the executor with the version's name",
    simulated=False,
    needs=("workflows",),
    variants={"plain": "v2", "odd": "v2/ä #1"},
)
async def asked(world: World, version: str) -> None:
    clause = "MSG-set_latest_application_version"
    app = await world.app()
    executor = await ready_executor(world, app)
    path = app_path(app, "versions", "latest")
    answer = await world.control.http("PATCH", path, json={"versionName": version}, org=app.org)
    expect_frame(world, clause, executor, "set_latest_application_version", answer.call, {"version_name": version})
    world.expect(clause, "answer", "done", call=answer.call, status=[204])


@scenario(
    "MSG-set_latest_application_version/no-success",
    clauses=("MSG-set_latest_application_version",),
    title="When success is false, setting the latest version is a failure to the caller",
    simulated=False,
    needs=("workflows",),
)
async def refused(world: World) -> None:
    app = await world.app()
    answers = {"set_latest_application_version": Reply(fields={"success": False})}
    await ready_executor(world, app, Script(replies=answers))
    path = app_path(app, "versions", "latest")
    answer = await world.control.http("PATCH", path, json={"versionName": "v2"}, org=app.org)
    world.expect("MSG-set_latest_application_version", "answer", call=answer.call, status=FAILURE)
